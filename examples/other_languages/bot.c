/* Flip 7: hits below 25 points. cc -static -O2 -o bot bot.c */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(void) {
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, stdin) > 0) {
        const char *comma = "";
        printf("{\"id\":%d,\"actions\":[", atoi(strstr(line, "\"id\":") + 5));
        for (char *at = line; (at = strstr(at, "\"legal\":[")) != NULL; at++) {
            char *points = strstr(at, "\"points\":[") + 10; /* of all seats; `turn` is the seat to act */
            int turn = atoi(strstr(at, "\"turn\":") + 7);
            while (turn-- > 0) points = strchr(points, ',') + 1;
            int hits = strncmp(at + 9, "\"hit\"", 5) == 0 && atoi(points) < 25;
            /* the first action is hit, where it can be; the last is stay, or some other seat */
            char *last = strchr(strstr(at, "\"numbers\":["), ']');
            while (last[-1] >= '0' && last[-1] <= '9') last--;
            printf("%s%d", comma, atoi(hits ? strstr(at, "\"numbers\":[") + 11 : last));
            comma = ",";
        }
        printf("]}\n");
        fflush(stdout);
    }
    return 0;
}
