/** German words for single tokens of the platform's names, in the order of the alphabet. */
const WORDS = `
absolute=absolut, ac=AC, activate=starten, activation=Einschalten, active=aktiv, actor=Aktor, actors=Aktoren, actuator=Aktor,
add=hinzufügen, address=Adresse, air=Luft, airflap=Luftklappe, airflaps=Luftklappen, alarm=Alarm, algorithm=Algorithmus,
allengra=Volumenstromsensor, allowed=erlaubt, altitude=Höhe, ambient=Umgebung, and=und, approved=erlaubt, article=Artikel,
assignment=Zuordnung, at=am, audience=Zielgruppe, automatic=Automatik, average=Durchschnitt, balance=Abgleich, balanced=Ein,
balancing=Abgleich, base=Sockel, battery=Batterie, begin=Beginn, blocked=blockiert, bmuconnection=Verbindung zum Kessel, boiler=Kessel,
bottom=unten, brand=Marke, brightness=Helligkeit, brine=Sole, buffer=Puffer, burner=Brenner, burners=Brenner, bypass=Bypass,
calibration=Kalibrierung, carbon=Kohlenstoff, cascade=Kaskade, cell=Zelle, central=Zentrale, chamber=Raum, change=Wechsel,
channel=Kanal, charge=Ladung, charged=geladen, charging=Ladung, child=Kinder, circuit=Heizkreis, circuits=Heizkreise,
circulation=Zirkulation, class=Klasse, co=CO, code=Code, collector=Kollektor, comfort=Komfort, command=Befehl,
commissioning=Inbetriebnahme, common=gemeinsam, component=Bestandteil, components=Bestandteile, compressor=Verdichter,
compressors=Verdichter, concentration=Konzentration, condensate=Kondensat, condensation=Kondensation, condenser=Verflüssiger,
condensor=Verflüssiger, condensors=Verflüssiger, configuration=Einstellung, connected=verbunden, connection=Verbindung,
consumption=Verbrauch, contact=Kontakt, continuous=dauernd, control=Regelung, controller=Regelung, cooler=Kühler, cooling=Kühlen,
cop=COP, cost=Kosten, costs=Kosten, counter=Zähler, coverage=Deckung, crankcase=Kurbelwanne, cumulated=aufsummiert,
cumulative=aufsummiert, current=aktuell, curve=Kurve, cylinder=Speicher, d=D, daily=täglich, damage=Schaden, damping=Dämpfung,
date=Datum, day=Tag, daylight=Sommerzeit, days=Tage, deactivate=beenden, default=Vorgabe, defrost=Abtauen, defrosting=Abtauung,
delta=Differenz, demand=Anforderung, details=Einzelheiten, device=Gerät, devices=Geräte, dewpoint=Taupunkt, dhw=Warmwasser,
diagnosis=Diagnose, direct=direkt, disable=ausschalten, discharge=Entladung, discharged=entladen, display=Anzeige,
diverter=Umschaltung, drying=Trocknung, duration=Dauer, dust=Staub, dynamic=dynamisch, ean=EAN, eco=Sparbetrieb, economizer=Economizer,
economizers=Economizer, ecu=Steuergerät, efficiency=Effizienz, efficient=Effizient, electric=elektrisch, electricity=Strom,
electronic=elektronisch, emission=Emission, enable=einschalten, enabled=aktiv, end=Ende, energy=Energie, ensuring=sichern,
entries=Einträge, error=Fehler, errors=Fehler, ess=Stromspeicher, evaporator=Verdampfer, evaporators=Verdampfer,
exceeded=überschritten, exchange=Austausch, executable=ausführbar, exhaust=Fortluft, expansion=Expansion, export=Einspeisung,
external=extern, extract=Abluft, factor=Faktor, family=Familien, fan=Ventilator, fans=Ventilatoren, features=Funktionen,
feed=Einspeisung, fht=Fußbodenthermostat, fill=Füllung, filter=Filter, fine=fein, finedust=Feinstaub, fire=Brand, firmware=Firmware,
fixed=Festwert, flame=Flamme, flap=Klappe, floor=Fußboden, flow=Vorlauf, flue=Abgas, forced=dauernd, fossil=fossil, four=vier,
frequency=Frequenz, from=von, frost=Frost, ftdc=FTDC, fuel=Brennstoff, gas=Gas, gateway=Gateway, generator=Erzeuger, green=grün,
grid=Netz, hardware=Hardware, heat=Wärme, heater=Heizung, heating=Heizen, heatpump=Wärmepumpe, high=hoch, hmi=Bedienteil,
holiday=Urlaub, horizontal=horizontal, hot=heiß, hour=Stunde, hours=Stunden, house=Haus, hub=Zentrale, humidifier=Befeuchter,
humidity=Luftfeuchte, hydraulic=hydraulisch, hydraulics=Hydraulik, hygiene=Hygiene, hysteresis=Hysterese, id=Kennung,
identification=Kennung, ignition=Zündung, in=in, indoor=innen, info=Hinweise, information=Information, inlet=Eintritt, input=Eingang,
inside=innen, installation=Anlage, installer=Fachbetrieb, internal=intern, interval=Abstand, inverter=Inverter, inverters=Inverter,
ip=IP, is=ist, lambda=Lambda, lan=LAN, language=Sprache, last=letzter, latitude=Breitengrad, led=LED, level=Stufe, levels=Stufen,
limit=Grenze, limitation=Begrenzung, link=Verbindung, liquid=Flüssigkeit, load=Last, location=Lage, lock=Sperre, logbook=Logbuch,
longitude=Längengrad, low=niedrig, lqi=Verbindungsqualität, mac=MAC, main=Haupt, maintenance=Wartung, malfunction=Störung, manual=Hand,
manufacturer=Hersteller, margin=Abstand, matrix=Matrix, max=maximal, maximum=maximal, measurement=Messung, message=Meldung,
messages=Meldungen, meter=Zähler, middle=Mitte, min=minimal, minimum=minimal, minutes=Minuten, mixed=gemischt, mixer=Mischer,
mode=Betriebsart, model=Modell, modes=Betriebsarten, modifier=Abweichung, modulation=Modulation, module=Modul, moisture=Feuchte,
monday=Montag, month=Monat, monthly=monatlich, motor=Motor, mounting=Montage, move=verschieben, multi=mehr, name=Name,
network=Netzwerk, next=nächste, night=Nacht, no=kein, noise=Geräusch, nominal=Nenn, normal=Normal, not=nicht, number=Nummer, of=der,
off=Aus, offset=Abweichung, oil=Öl, on=Ein, one=1, open=offen, operating=Betrieb, operation=Betrieb, operator=Betreiber,
organic=organische, orientation=Ausrichtung, ota=OTA, others=andere, outdoor=außen, outlet=Austritt, output=Ausgang, outside=außen,
overall=insgesamt, overdue=überfällig, overheat=Überhitzung, override=Vorrang, overrun=Nachlauf, pan=Wanne, parameter=Parameter,
parent=Eltern, party=Party, pause=Pause, pcc=Netzanschluss, peak=Spitze, perceived=gefühlt, permanent=feste Stufe, phase=Phase,
phases=Phasen, photovoltaic=Photovoltaik, pollution=Verschmutzung, pool=Schwimmbad, position=Stellung, power=Leistung, pre=Vor,
preheater=Vorheizregister, pressure=Druck, price=Preis, primary=primär, produced=erzeugt, product=Produkt, production=Erzeugung,
profile=Profil, program=Programm, programs=Programme, protection=Schutz, pump=Pumpe, pumps=Pumpen, purchase=Bezug, purge=Entlüftung,
quality=Qualität, quick=schnell, quickmodes=Schnellwahl, quiet=leise, rain=Regen, rated=Nenn, read=gelesen, reason=Grund,
recharge=Nachladen, recovery=Rückgewinnung, reduced=Reduziert, reduction=Absenkung, reference=Bezug, refrigerant=Kältemittel,
refrigeration=Kälte, regulation=Regelung, reheater=Nachheizregister, remaining=verbleibend, remote=fern, remove=entfernen,
repeater=Repeater, report=Bericht, reset=zurücksetzen, return=Rücklauf, reverse=umgekehrt, ring=Ring, risk=Gefahr, rod=Stab, room=Raum,
rooms=Räume, rotation=Drehzahl, runtime=Laufzeit, rx=Empfang, saving=sparen, scald=Verbrühung, schedule=Zeitplan, scop=SCOP,
screed=Estrich, screw=Schraube, secondary=sekundär, seconds=Sekunden, seer=SEER, self=selbst, selftest=Selbsttest, sensor=Sensor,
sensors=Sensoren, separator=Weiche, serial=Seriennummer, service=Service, set=setzen, setpoint=Sollwert, setting=Einstellung,
settings=Einstellungen, shift=Niveau, shutdown=Abschaltung, side=Seite, signal=Signal, silent=Leise, sink=Senke, size=Größe,
slightly=leicht, slope=Neigung, smart=Smart, smooth=sanft, software=Software, solar=Solar, sold=verkauft, source=Quelle,
speed=Drehzahl, spf=JAZ, standby=Standby, start=Beginn, starts=Starts, state=Zustand, status=Status, storage=Speicher, strength=Stärke,
string=Strang, subcooling=Unterkühlung, suction=Saug, summer=Sommer, sun=Sonne, supply=Vorlauf, suppression=Unterdrückung,
switch=Schalter, system=System, tank=Speicher, target=Soll, tcu=TCU, temp=Temperatur, temperature=Temperatur, test=Test,
thermal=thermisch, thermostat=Thermostat, three=3, threshold=Grenze, time=Zeit, timeframe=Zeitraum, timeout=Zeitlimit,
timezone=Zeitzone, top=oben, total=gesamt, transfer=Übertragung, trigger=auslösen, triggered=ausgelöst, trv=Heizkörperthermostat,
two=2, tx=Senden, type=Typ, unit=Einheit, unschedule=abbrechen, until=bis, update=Aktualisierung, usage=Nutzung, use=nutzen,
useful=nutzbar, user=Benutzer, value=Wert, values=Werte, valve=Ventil, valves=Ventile, variant=Variante, vehicle=Fahrzeug,
ventilation=Lüftung, ventilator=Ventilator, version=Version, vertical=vertikal, voltage=Spannung, volume=Volumen, volumetric=Volumen,
wallbox=Wallbox, warning=Warnung, water=Wasser, way=Wege, week=Woche, weekly=wöchentlich, weight=Gewicht, wifi=WLAN, wind=Wind,
window=Fenster, winter=Winter, with=mit, year=Jahr, zigbee=Zigbee, zone=Zone
`;

let table: ReadonlyMap<string, string> | undefined;

/** The German word for a token of a level that no phrase has; undefined if there is none. */
export const germanToken = (token: string): string | undefined => {
  table ??= new Map(
    WORDS.split(',').map((pair): [string, string] => {
      const [word = '', german = ''] = pair.split('=');
      return [word.trim(), german.trim()];
    }),
  );
  return table.get(token);
};
