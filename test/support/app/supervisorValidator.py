"""What the Supervisor of Home Assistant itself says of the app. Run with its sources in PYTHONPATH; prints one JSON object.

Arguments: the root of this repository, and options that people could enter, as a JSON list.
"""

import json
import logging
from pathlib import Path
import sys
from unittest.mock import MagicMock

import yaml

from supervisor.apps.options import AppOptions, UiOptions
from supervisor.apps.validate import SCHEMA_APP_CONFIG, SCHEMA_APP_TRANSLATIONS
from supervisor.store.validate import SCHEMA_REPOSITORY_CONFIG

warnings = []


class Keep(logging.Handler):
    """Keeps what is logged."""

    def emit(self, record):
        """Keep one message."""
        warnings.append(record.getMessage())


logging.getLogger("supervisor").addHandler(Keep(logging.WARNING))

root = Path(sys.argv[1])


def read(name):
    """Read a YAML file as the Supervisor does."""
    return yaml.safe_load((root / name).read_text(encoding="utf-8"))


written = read("app/config.yaml")
config = SCHEMA_APP_CONFIG(read("app/config.yaml"))
translations = {name: SCHEMA_APP_TRANSLATIONS(read(f"app/translations/{name}.yaml")) for name in ("en", "de")}
SCHEMA_REPOSITORY_CONFIG(read("repository.yaml"))


def outcome(options):
    """Give the options that the app gets, or why there are none."""
    try:
        return AppOptions(MagicMock(), config["schema"], config["name"], config["slug"])({**config["options"], **options})
    except Exception as error:  # pylint: disable=broad-except
        return str(error)


print(
    json.dumps(
        {
            "dropped": sorted(set(written) - set(config)),
            "schema": config["schema"] == written["schema"],
            "translations": {name: sorted(read["configuration"]) for name, read in translations.items()},
            "form": UiOptions(MagicMock())(config["schema"]),
            "options": [outcome(options) for options in json.loads(sys.argv[2])],
            "warnings": warnings,
        },
        default=str,
    )
)
