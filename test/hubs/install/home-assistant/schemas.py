"""Reads recorded documents of devices, and says which parts Home Assistant would refuse, and which keys it would drop without a word."""

import homeassistant  # noqa: F401  the first import: it prepares that of the schemas

import asyncio
import copy
import importlib
import json
import sys

from homeassistant.components.mqtt import discovery, schemas
from homeassistant.core import HomeAssistant
from homeassistant.helpers import frame


def dropped(given, kept):
    """The keys that validation has removed, also within."""
    if isinstance(given, list) and isinstance(kept, list):
        return [name for pair in zip(given, kept) for name in dropped(*pair)]
    if not isinstance(given, dict) or not isinstance(kept, dict):
        return []
    missing = [name for name in given if name not in kept]
    return missing + [name for key in given if key in kept for name in dropped(given[key], kept[key])]


def parts(document):
    """Each component with its key and the device of which it is."""
    device = document["device"]
    yield from ((key, component, device) for key, component in document.get("components", {}).items())
    for child in document.get("child_devices", []):
        of_child = {key: value for key, value in child.items() if key != "components"}
        for key, component in child["components"].items():
            yield key, component, {**device, "child_device": of_child}


def problems_of(document):
    """Pairs of a component's key and what is wrong with it."""
    schemas.DEVICE_DISCOVERY_SCHEMA(copy.deepcopy(dict(document)))
    for key, component, device in parts(document):
        own = {name: value for name, value in component.items() if name != "platform"}
        if not own:
            yield key, None
            continue
        whole = discovery.MQTTDiscoveryPayload({**copy.deepcopy(own), "device": device, "origin": document["origin"]})
        discovery._merge_common_device_options(whole, document)
        if discovery.TOPIC_BASE in whole:
            discovery._replace_topic_base(whole)
        platform = component["platform"]
        trigger = platform == "device_automation"
        module = importlib.import_module(f"homeassistant.components.mqtt.{'device_trigger' if trigger else platform}")
        try:
            kept = (module.TRIGGER_DISCOVERY_SCHEMA if trigger else module.DISCOVERY_SCHEMA)(whole)
            lost = dropped({name: value for name, value in own.items() if name != "~"}, kept)
            yield key, f"drops {', '.join(lost)}" if lost else None
        except Exception as error:  # noqa: BLE001  whatever a schema throws is its answer
            yield key, f"refuses: {error}"


async def main():
    hass = HomeAssistant("/tmp")
    frame.async_setup(hass)
    documents = components = problems = 0
    for line in sys.stdin:
        message = json.loads(line)
        if not message["payload"]:
            continue
        documents += 1
        try:
            document = discovery.MQTTDiscoveryPayload(discovery.json_loads_object(message["payload"]))
            discovery._replace_all_abbreviations(document)
            found = list(problems_of(document))
        except Exception as error:  # noqa: BLE001
            found = [("the document", f"refuses: {error}")]
        components += len(found)
        for key, why in found:
            if why:
                problems += 1
                print(message["topic"], key, why, sep="\t")
    print(f"{documents} documents, {components} components, {problems} problems")
    await hass.async_stop(force=True)
    return 1 if problems else 0


sys.exit(asyncio.run(main()))
