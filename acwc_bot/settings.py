"""What the operator sets: environment variables or `.env`. Frozen, built in `main()`, never at import."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from dotenv import dotenv_values
from pydantic import Field, HttpUrl, SecretStr, ValidationError, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from db.connect import sqlite_path

DEFAULT_DATABASE = "sqlite:///acwc.db"
_DIALECTS = ("sqlite", "postgresql+psycopg")


class WrongSettings(Exception):
    """The configuration cannot be used. `lines` say which key, what is wrong and what is expected."""

    def __init__(self, lines: list[str]) -> None:
        super().__init__("; ".join(lines))
        self.lines = lines


class Settings(BaseSettings):
    """Every key is named in `.env.example`."""

    model_config = SettingsConfigDict(
        env_file=".env", env_file_encoding="utf-8", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    discord_token: SecretStr | None = None
    database_url: str = DEFAULT_DATABASE
    lichess_token: SecretStr | None = None
    lichess_url: HttpUrl = HttpUrl("https://lichess.org")
    public_url: HttpUrl | None = None
    login_port: int = Field(default=8080, gt=0, lt=65536)
    discord_guild_id: int | None = Field(default=None, gt=0, lt=2**63)
    backup_dir: Path = Path("backups")
    log_level: Literal["DEBUG", "INFO", "WARNING", "ERROR"] = "INFO"

    @field_validator("log_level", mode="before")
    @classmethod
    def _upper(cls, value: object) -> object:
        return value.upper() if isinstance(value, str) else value

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        try:
            url = make_url(value)
        except ArgumentError:
            raise ValueError("it is not a database URL") from None
        if url.drivername not in _DIALECTS:
            raise ValueError(f"the database {url.drivername!r} is not known")
        if url.drivername == "sqlite" and sqlite_path(value) is None:
            raise ValueError("an in-memory database would lose the tournament")
        return value


def unknown_keys(file: Path) -> list[str]:
    """Keys of a `.env` that mean nothing here: a misspelt DISCORD_TOKEN would start the sandbox without a word."""
    if not file.is_file():
        return []
    return [key for key in dotenv_values(file) if key.lower() not in Settings.model_fields]


_EXPECTED = {
    "discord_token": "the token from the Discord developer portal, or nothing for the sandbox",
    "database_url": "sqlite:///acwc.db or postgresql+psycopg://user:password@host/name",
    "lichess_token": "a personal Lichess token, or nothing",
    "lichess_url": "https://lichess.org",
    "public_url": "the https:// address under which the bot is reached, or nothing",
    "login_port": "the port on which the login page listens, for example 8080",
    "discord_guild_id": "the id of one server (digits only) while developing, or nothing",
    "backup_dir": "a folder for the copies made before a migration",
    "log_level": "DEBUG, INFO, WARNING or ERROR",
}


def load_settings(**overrides: object) -> Settings:
    """Reads the environment and `.env`. WrongSettings names each bad key, the reason and what is expected.

    A secret's value is never repeated.
    """
    unknown = unknown_keys(Path(".env"))
    if unknown:
        known = ", ".join(sorted(name.upper() for name in Settings.model_fields))
        raise WrongSettings([f"{key}: there is no such setting in .env. Known: {known}." for key in unknown])
    try:
        return Settings(**overrides)  # type: ignore[arg-type]
    except ValidationError as error:
        lines: list[str] = []
        for fault in error.errors():
            key = str(fault["loc"][0]) if fault["loc"] else "?"
            reason = fault["msg"].removeprefix("Value error, ")
            lines.append(f"{key.upper()}: {reason}. Expected: {_EXPECTED.get(key, 'see .env.example')}.")
        raise WrongSettings(lines) from None
