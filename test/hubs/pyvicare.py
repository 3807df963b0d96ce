"""One scene with PyViCare against a simulated platform; prints what it saw as one line of JSON.

Usage: pyvicare.py <address of the platform> <scene>
"""

import json
import os
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.parse
import urllib.request
import warnings

# The platform is on loopback, without TLS.
os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"
warnings.simplefilter("ignore")

from PyViCare import PyViCareAbstractOAuthManager, PyViCareBrowserOAuthManager, PyViCareOAuthManager  # noqa: E402
from PyViCare.PyViCare import PyViCare  # noqa: E402

PLATFORM = sys.argv[1]
CLIENT = "heating2mqtt-demo"
WEEK = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]

PyViCareAbstractOAuthManager.API_BASE_URL = f"{PLATFORM}/iot/v2"
for module in (PyViCareOAuthManager, PyViCareBrowserOAuthManager):
    module.AUTHORIZE_URL = f"{PLATFORM}/idp/v3/authorize"
    module.TOKEN_URL = f"{PLATFORM}/idp/v3/token"


def control(**command):
    request = urllib.request.Request(
        f"{PLATFORM}/control", json.dumps(command).encode(), {"Content-Type": "application/json"}
    )
    return json.load(urllib.request.urlopen(request))


def client(via_gateway=False, cache=60, password="secret", client_id=CLIENT):
    made = PyViCare()
    made.setCacheDuration(cache)
    made.loadViaGateway(via_gateway)
    made.initWithCredentials("anna", password, client_id, None)
    return made


def device_of(made, device_id):
    return next(device for device in made.devices if device.getId() == device_id)


def heat_pump(**options):
    return device_of(client(**options), "0").asAutoDetectDevice()


def fault_of(action):
    """The class and the words of what an action raises."""
    try:
        return ["nothing", repr(action())]
    except Exception as error:  # noqa: BLE001
        return [type(error).__name__, getattr(error, "message", str(error))]


class NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def log_in(address):
    """What a person does in the browser: the form, sent; then the browser follows the redirect."""
    page = urllib.request.urlopen(address).read().decode()
    assert 'name="password"' in page, page
    form = urllib.parse.urlencode({"username": "anna", "password": "secret", "action": "allow"}).encode()
    try:
        urllib.request.build_opener(NoRedirect).open(address, form)
    except urllib.error.HTTPError as redirect:
        follow(redirect.headers["Location"])


def follow(location):
    # PyViCare opens its own port only after it has called the browser.
    for _ in range(500):
        try:
            return urllib.request.urlopen(location).read()
        except urllib.error.URLError:
            time.sleep(0.02)
    raise RuntimeError(f"Nobody listens for {location}")


class BrowserLogin(PyViCareBrowserOAuthManager.ViCareBrowserOAuthManager):
    """PyViCare 2.63.0 hands a method over as refresh token here; everything else is its own."""

    def renewToken(self):
        session = self.oauth_session
        session.refresh_token(PyViCareBrowserOAuthManager.TOKEN_URL, refresh_token=session.token["refresh_token"])


def browser():
    """Login in the browser, a start with the stored token, and renewal after the token has expired."""
    opened = []

    def open_browser(address):
        opened.append(address)
        threading.Thread(target=log_in, args=(address,), daemon=True).start()

    PyViCareBrowserOAuthManager.webbrowser.open = open_browser
    with tempfile.TemporaryDirectory() as folder:
        token_file = os.path.join(folder, "token.json")
        first = PyViCare()
        first.initWithExternalOAuth(BrowserLogin(CLIENT, token_file))
        with open(token_file, encoding="utf-8") as stored:
            members = sorted(json.load(stored))
        again = PyViCare()
        again.initWithBrowserOAuth(CLIENT, token_file)
        control(command="expire_tokens")
        renewed = device_of(first, "0").asGeneric().getOutsideTemperature()
        return {"opened": len(opened), "token": members, "again": len(again.devices), "renewed": renewed}


def password():
    made = client()
    return {
        "installations": [[installation.id, len(installation.gateways)] for installation in made.installations],
        "devices": [
            [
                device.getId(),
                device.getModel(),
                device.getDeviceType(),
                device.getRoles(),
                device.isOnline(),
                type(device.asAutoDetectDevice()).__name__,
            ]
            for device in made.devices
        ],
        "wrong": fault_of(lambda: client(password="wrong")),
        "stranger": fault_of(lambda: client(client_id="somebody-else")),
    }


def helper():
    """The login that Home Assistant offers to those who come from a password."""
    token = PyViCareOAuthManager.obtain_token_via_basic_auth_pkce(CLIENT, "anna", "secret")
    return {"token": sorted(token), "wrong": PyViCareOAuthManager.obtain_token_via_basic_auth_pkce(CLIENT, "anna", "wrong")}


def getters(part):
    """Everything that can be read without an argument; what the device does not have is left out."""
    seen = {}
    for name in sorted(dir(part)):
        method = getattr(part, name) if name.startswith("get") else None
        if not callable(method):
            continue
        kind, words = fault_of(method)
        if kind == "nothing":
            seen[name] = words
        elif kind not in ("PyViCareNotSupportedFeatureError", "TypeError"):
            seen[name] = f"{kind}: {words}"
    return seen


def reads():
    """The same house by device and by gateway, and what each way cost."""
    control(command="live", on=False)
    told = {}
    for name, via_gateway in (("device", False), ("gateway", True)):
        made = client(via_gateway=via_gateway)
        control(command="reset")
        pump = device_of(made, "0").asAutoDetectDevice()
        rooms = device_of(made, "RoomControl-1").asAutoDetectDevice()
        told[name] = {
            "pump": getters(pump),
            "circuits": {circuit.id: getters(circuit) for circuit in pump.circuits},
            "rooms": {room: rooms.getRoomHumidity(room) for room in rooms.getAvailableRoomIds()},
            "calls": control(command="calls")["counts"],
        }
    gateway = device_of(client(), "gateway")
    told["wifi"] = [gateway.isGateway(), gateway.asAutoDetectDevice().getWifiSignalStrength()]
    circuit = heat_pump(cache=0).circuits[0]
    told["bare"] = [circuit.getActiveMode(), circuit.getHeatingSchedule()["active"]]
    return told


def writes(via_gateway):
    pump = heat_pump(via_gateway=via_gateway)
    circuit = pump.circuits[0]
    week = {day: [{"start": "05:30", "end": "21:50", "mode": "comfort", "position": 0}] for day in WEEK}
    week["sun"] = []
    circulation = {day: [{"start": "06:00", "end": "24:00", "mode": mode, "position": 0}] for day in WEEK
                   for mode in pump.getDomesticHotWaterCirculationScheduleModes()[:1]}
    modes = {"mode": circuit.getModes()[-1], "dhw": pump.getDomesticHotWaterOperatingModes()[-1]}
    answers = [
        circuit.setMode(modes["mode"]),
        circuit.setProgramTemperature("normal", 21),
        circuit.setReducedTemperature(16.0),
        circuit.setHeatingCurve(2, 1.1),
        pump.setDomesticHotWaterTemperature(52),
        pump.setDomesticHotWaterOperatingMode(modes["dhw"]),
        pump.setDomesticHotWaterCirculationSchedule(circulation),
    ]
    circuit.setHeatingSchedule(week)
    schedule = circuit.getHeatingSchedule()
    return {
        "answers": answers,
        "mode": circuit.getActiveMode() == modes["mode"],
        "normal": circuit.getDesiredTemperatureForProgram("normal"),
        "reduced": circuit.getDesiredTemperatureForProgram("reduced"),
        "curve": [circuit.getHeatingCurveShift(), circuit.getHeatingCurveSlope()],
        "water": pump.getDomesticHotWaterConfiguredTemperature(),
        "water_mode": pump.getDomesticHotWaterActiveOperatingMode() == modes["dhw"],
        "circulation": pump.getDomesticHotWaterCirculationSchedule()["sat"] == circulation["sat"],
        "schedule": {day: schedule[day] for day in WEEK} == week,
        "off_grid": fault_of(
            lambda: circuit.setHeatingSchedule({**week, "mon": [{**week["tue"][0], "start": "05:33"}]})
        ),
        "too_hot": fault_of(lambda: circuit.setNormalTemperature(99)),
        "not_now": fault_of(lambda: circuit.deactivateComfort()),
    }


def errors():
    """What PyViCare makes of each refusal, on a read and on a command."""
    pump = heat_pump(cache=0)
    circuit = pump.circuits[0]

    def meet(kind, action, **more):
        control(command="fault", kind=kind, **more)
        try:
            return fault_of(action)
        finally:
            control(command="clear")

    def read():
        return circuit.getActiveMode()

    def write():
        return circuit.setMode(circuit.getModes()[0])

    told = {
        kind: meet(kind, read)
        for kind in (
            "rate_limited",
            "rate_limited_10_minutes",
            "gateway_offline",
            "device_offline",
            "not_paid",
            "html502",
            "internal_error",
            "timeout200",
            "cut_middle",
            "not_found",
        )
    }
    told["rate_limited_write"] = meet("rate_limited", write, match={"method": "POST"})
    told["offline_write"] = meet("gateway_offline", write, match={"method": "POST"})
    told["expired_once"] = meet("expired_token", read, times=1)[0]
    told["large"] = meet("large", read)[0]
    control(command="disconnect")
    offline = client()
    told["disconnected"] = [
        device_of(offline, "0").isOnline(),
        fault_of(lambda: device_of(offline, "0").asGeneric().getOutsideTemperature())[0],
    ]
    control(command="connect")
    told["reboot"] = pump.service.reboot_gateway(pump.accessor)
    return told


SCENES = {
    "browser": browser,
    "password": password,
    "helper": helper,
    "reads": reads,
    "writes_by_device": lambda: writes(False),
    "writes_by_gateway": lambda: writes(True),
    "errors": errors,
}

print(json.dumps(SCENES[sys.argv[2]]()))
