"""What Alembic runs for every migration: all steps, in the transaction that the caller has begun."""

from alembic import context

context.configure(
    connection=context.config.attributes["connection"],
    transactional_ddl=False,  # the caller commits
    render_as_batch=True,
)
context.run_migrations()
