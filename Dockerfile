# A node of a Ray cluster that plays matches, and a place for the driver. No image was built where it was written, as there
# was no Docker daemon; these steps were run in a chroot.
#     docker build -t card-arena .
FROM python:3.11-slim
WORKDIR /opt/card-arena
COPY . .
RUN pip install --no-cache-dir --constraint constraints.txt '.[cluster,postgres,web]'
# compiled code of the games: made once here, loaded by every worker
ENV ARENA_CACHE=/opt/card-arena/compiled RAY_USAGE_STATS_ENABLED=0
RUN mkdir "$ARENA_CACHE" && python -c "import engines; from arena.match.warm import warm_up; [warm_up(game, print) for game in engines.names()]" \
    && chmod -R a+rwX "$ARENA_CACHE"
RUN useradd --create-home --uid 1000 arena && install --directory --owner arena /data
USER arena
WORKDIR /home/arena
CMD ["arena", "doctor"]
