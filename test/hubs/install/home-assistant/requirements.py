"""Prints what pip has to install for the parts of Home Assistant that the tests use, and for those on which they depend."""

import json
from pathlib import Path

import homeassistant
from homeassistant import bootstrap

COMPONENTS = Path(homeassistant.__file__).parent / "components"
# Those that every start sets up, what the tests add, and two that others import although nobody sets them up.
USED = {"api", "config", "hassio", "isal", "mqtt", "recorder", "history", "energy", "sensor", "calendar", "websocket_api"}
ALWAYS = bootstrap.CORE_INTEGRATIONS | bootstrap.DEFAULT_INTEGRATIONS | bootstrap.FRONTEND_INTEGRATIONS


def with_dependencies(names, known):
    """Adds to `known` the manifests of these components and of all on which they depend."""
    for name in set(names) - known.keys():
        known[name] = json.loads((COMPONENTS / name / "manifest.json").read_text())
        with_dependencies(known[name].get("dependencies", []), known)
    return known


manifests = with_dependencies(USED | set(ALWAYS), {}).values()
print(*sorted({line for manifest in manifests for line in manifest.get("requirements", [])}), sep="\n")
