"""Storage, on SQLite always and on PostgreSQL when ACWC_TEST_POSTGRES names a server."""
