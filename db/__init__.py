"""Storage: SQLModel tables, the mapping to `engine.model`, the unit of work, migrations, the process lock."""
