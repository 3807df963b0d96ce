const below = (place: 'auth_url' | 'base_url', what: string, ...ids: readonly string[]): string =>
  `${what} Pfad unter ${place}, an Stelle dessen des Profils.${ids.length === 0 ? '' : ` Braucht ${ids.map((id) => `{${id}}`).join(', ')}.`}`;

/** The German meaning of every setting. The schema has the English ones. */
export const SETTINGS_DE = {
  'platform.profile':
    'Pfade der Plattform. v2 = die des laufenden Dienstes: Dann sind dessen Adressen und Rechte der Standard, und die Geräte werden von selbst gefunden; v1 = die dokumentierten, wo deine Plattform sie hat; auto = v2, und v1, wo platform.base_url gesetzt ist.',
  'platform.base_url': 'Adresse des Dienstes der Plattform für Nutzer und Geräte.',
  'platform.auth_url': 'Adresse des Anmeldedienstes der Plattform.',
  'platform.client_id': 'Id des Clients, den du bei der Plattform registriert hast.',
  'platform.redirect_uri': 'Adresse, zu der die Anmeldung den Browser zurückschickt, genau so wie für den Client registriert.',
  'platform.scope':
    'Worum die Anmeldung bittet. Mit offline_access, wo die Plattform es anbietet, sonst gilt eine Anmeldung nur eine Stunde.',
  'platform.read':
    'feature = ein Aufruf je Feature; device = ein Aufruf für alle Features eines Geräts; gateway = ein Aufruf für alle Geräte eines Gateways (v2); auto = so wenige Aufrufe wie möglich mit v2; mit v1 device, wo ein Feature als Muster geschrieben ist, sonst feature.',
  'platform.paths.authorize': below('auth_url', 'Seite, auf der man sich anmeldet.'),
  'platform.paths.token': below('auth_url', 'Wo Tokens ausgegeben und erneuert werden.'),
  'platform.paths.identity': below('base_url', 'Das Konto, zu dem ein Token gehört.'),
  'platform.paths.installations': below(
    'base_url',
    'Liste der Anlagen mit ihren Gateways und Geräten; damit werden Geräte von selbst gefunden.',
  ),
  'platform.paths.feature': below('base_url', 'Ein Feature.', 'gateway', 'device', 'feature'),
  'platform.paths.device_features': below('base_url', 'Alle Features eines Geräts.', 'gateway', 'device'),
  'platform.paths.command': below('base_url', 'Ein Befehl.', 'gateway', 'device', 'feature', 'command'),
  'platform.paths.gateway_all': below('base_url', 'Die Features eines Gateways und all seiner Geräte in einer Antwort.', 'gateway'),
  'platform.paths.gateway_features': below('base_url', 'Alle Features des Geräts namens gateway.', 'gateway'),
  'platform.paths.gateway_feature': below('base_url', 'Ein Feature des Geräts namens gateway.', 'gateway', 'feature'),
  'platform.paths.gateway_command': below('base_url', 'Ein Befehl des Geräts namens gateway.', 'gateway', 'feature', 'command'),
  'platform.timeout_s': 'Sekunden, die ein Aufruf dauern darf, von der Verbindung bis zum letzten Byte.',
  'platform.quota.per_10_minutes': 'Aufrufe, die die Plattform in 10 Minuten erlaubt.',
  'platform.quota.per_day': 'Aufrufe, die die Plattform in 24 Stunden erlaubt.',
  'platform.quota.reserve_for_commands': 'Aufrufe jedes Tages, die das Lesen für Befehle übrig lässt.',
  'platform.consent_days':
    'Tage von einer Anmeldung bis zum Ende ihres Refresh-Tokens; 30 Tage davor sagen es bridge/auth und das Protokoll.',
  'platform.login_over_mqtt':
    'Ja = wenn eine Anmeldung nötig ist, zeigt bridge/auth die Adresse dafür, und bridge/auth/set nimmt die Adresse, zu der der Browser zurückkommt. Jeder, der auf dieses Topic schreiben darf, kann sich dann anmelden, nach der ersten Anmeldung nur mit demselben Konto.',
  'poll.seconds':
    'Sekunden von einem Lesen zum nächsten. auto = so schnell, wie es das Kontingent erlaubt, nie unter 60; eine Zahl, die das Kontingent nicht einen Tag lang trägt, wird gestreckt, mit einer Warnung.',
  'poll.jitter': 'Teil des Abstands, um den ein Lesen früher oder später kommt, damit nicht alle Bridges im selben Augenblick fragen.',
  'poll.gone_after_h':
    'Stunden, und mindestens drei vollständige Lesungen, in denen ein Feature fehlen muss, bevor seine Topics gelöscht werden.',
  'mqtt.url':
    'Adresse des Brokers: mqtt:// oder ws://, mit TLS mqtts:// oder wss://. Mehrere, für die Knoten eines Clusters, stehen als Liste oder mit Kommas dazwischen: Fällt eine aus, folgt die nächste. Ohne sie fragt die App von Home Assistant dort nach dem Broker.',
  'mqtt.username': 'Benutzer beim Broker.',
  'mqtt.password': 'Passwort beim Broker.',
  'mqtt.base': 'Erste Ebene, oder Ebenen, jedes Topics. Jede Bridge an einem Broker braucht ihre eigene.',
  'mqtt.version': 'Version von MQTT; auto = 5, und 3.1.1, wo der Broker sie nicht kann.',
  'mqtt.ca': 'Datei (PEM) mit der Stelle, die das Zertifikat des Brokers unterschrieben hat, wenn es eine eigene ist.',
  'mqtt.cert': 'Datei (PEM) mit einem Zertifikat des Clients, für Broker, die eines verlangen.',
  'mqtt.key': 'Datei (PEM) mit dem Schlüssel zum Zertifikat des Clients.',
  'mqtt.client_id': 'Client-Id bei MQTT, wo der Broker eine bestimmte erwartet.',
  'mqtt.max_payload':
    'Bytes, die eine Nachricht an die Bridge haben darf; eine längere wird abgelehnt, außer das Topic zeigt selbst so viel. Mit MQTT 5 soll der Broker zurückhalten, was mehr als 9 MB länger ist.',
  'homeassistant.discovery':
    'device = ein Discovery-Dokument je Gerät und je Teil davon, für Home Assistant ab 2024.11 und openHAB ab 5.2; off = keines, und früher veröffentlichte werden entfernt.',
  'homeassistant.prefix': 'Präfix für Discovery, wie in Home Assistant eingestellt.',
  'homeassistant.import':
    'true = in der App von Home Assistant kann die Seite „Bilanz“ den Verbrauch vor der Installation in die Statistik von Home Assistant importieren und dort wieder entfernen.',
  'homeassistant.status_topic': 'Topic der Geburtsnachricht von Home Assistant, nach der die Dokumente noch einmal veröffentlicht werden.',
  devices:
    'Geräte, die gelesen werden: eine Liste, in der Umgebung als JSON. Wo Geräte von selbst gefunden werden (v2), werden ohne Liste alle gelesen; mit einer Liste die, auf die ein Eintrag passt, und der erste passende Eintrag gilt.',
  'schedules.time_zone':
    'Zeitzone der Uhr der Heizung, für das Jetzt und das Nächste eines Zeitplans; auto = die Zone, die die Plattform für die Anlage nennt, sonst die des Rechners (bridge/info sagt, welche).',
  'schedules.profiles':
    'Wochen, oder einige ihrer Tage, mit Namen: als Text oder als JSON, in der Umgebung alle als JSON. Die zu einem Zeitplan passen, sind auf seinem Topic profile zu wählen.',
  'schedules.seasons':
    'Zeitpläne, die ihre Woche mit der Jahreszeit wechseln, jeder in der Form von docs/schedules.md: GERÄT FEATURE, je ein Profil für summer und winter, und die Tage des Sommers (MM-TT) oder above GRAD: das Mittel der Außentemperatur von drei Tagen, mit 1 K mehr oder weniger. Ein Wechsel steht einen Tag vorher auf bridge/seasons; höchstens einer in der Woche.',
  'calendar.rules':
    'Was Termine aus Kalendern tun: eine geordnete Liste, TITEL -> WIRKUNG. Die Wirkung ist profile NAME, program NAME, holiday oder holiday-at-home; die erste Regel, die passt, gilt. Bis jemand die Vorschau freigegeben hat, geschieht nichts.',
  'calendar.addresses':
    'Adressen von Kalendern (ICS), durch Leerzeichen getrennt: https: oder webcal:, jede Stunde gelesen. Die Adresse ist geheim: Gezeigt werden nur ihr Rechnername und die letzten 4 Zeichen.',
  'calendar.allow_private':
    'Ja = Adressen von Kalendern dürfen in das eigene Netz führen, dann auch mit http:. Auf der Seite lässt sich das nicht ändern.',
  'commands.settle_ms':
    'Millisekunden, die eine Änderung einiger Tage einer Woche auf Änderungen anderer Tage wartet, damit ein Befehl daraus wird; insgesamt höchstens 2 s.',
  'commands.fresh_s':
    'Höchstes Alter in Sekunden eines Datensatzes, der eine unvollständige Änderung ergänzt (einige Tage einer Woche, einer von mehreren Parametern); bei einem älteren wird vorher gelesen. Was in dieser Zeit in der App des Herstellers geändert wird, kann überschrieben werden.',
  'commands.confirm_s': 'Sekunden nach einem Befehl, zu denen gelesen wird, ob die Änderung da ist; die erste Bestätigung beendet das.',
  'commands.per_hour': 'Höchste Zahl von Befehlen an ein Feature in einer Stunde, als Schutz vor einer fehlerhaften Automation.',
  'commands.allow': 'Muster über Feature/Befehl, was gesendet werden darf; [] = nur lesen.',
  'commands.deny':
    'Muster über Feature/Befehl, was nie gesendet wird, auch wenn commands.allow es hat: im Standard Befehle, die einen Teil der Anlage entfernen, hinzufügen oder verschieben.',
  'events.minutes':
    'Minuten von einem Lesen der Störungen und anderen Ereignisse zum nächsten (v2): ein Aufruf je Anlage, und höchstens zehn weitere am Tag, wenn etwas geschieht; 0 = nie.',
  'energy.price': 'Preis einer kWh Strom in deiner Währung. Jeder Tag wird mit dem Preis dieses Tages gezählt, ohne Grundgebühren.',
  'energy.gas_price':
    'Preis einer kWh Gas; eines m³, wo die Heizung m³ nennt und gas.calorific_value oder gas.state_number nicht gesetzt ist.',
  'energy.co2': 'g CO₂ einer kWh Strom.',
  'energy.gas_co2': 'g CO₂ einer kWh Gas, oder eines m³, wie bei energy.gas_price.',
  'gas.calorific_value':
    'Brennwert deines Gases in kWh je m³, wie ihn deine Rechnung nennt. Mit gas.state_number steht Gas auch in kWh da.',
  'gas.state_number': 'Zustandszahl deines Gases, wie sie deine Rechnung nennt.',
  accounts:
    'Weitere Konten der Plattform, jedes mit Topics unter mqtt.base/NAME und einem Ordner accounts/NAME in data_dir: eine Liste von Einträgen mit name, client_id und jeder Einstellung, in der das Konto abweicht. Auch eine Datei accounts.d/NAME.yaml in data_dir ist ein Eintrag. Siehe docs/accounts.md.',
  'history.days':
    'So viele Tage werden Werte für die Verläufe der Seite aufgehoben, höchstens einer in zehn Minuten; 0 = es werden keine aufgehoben.',
  'prices.topic':
    'Topic, auf dem Strompreise kommen; damit schlägt die Bridge vor, wann Warmwasser am billigsten ist. Gesendet wird nur, was jemand bestellt.',
  'prices.url':
    'Adresse (https:), unter der es Strompreise als JSON gibt, jede Stunde gelesen, statt prices.topic oder dazu. Die Adresse ist geheim: Gezeigt werden nur ihr Rechnername und die letzten 4 Zeichen.',
  'prices.allow_private': 'Ja = prices.url darf in das eigene Netz führen, dann auch mit http:. Auf der Seite lässt sich das nicht ändern.',
  'prices.unit':
    'Wofür ein Preis gilt: MWh, kWh, oder cent = Cent je kWh. auto = wie die Quelle sagt, sonst geschätzt, und dann ohne Angabe in Geld.',
  'prices.currency': 'Währung der Preise, drei Buchstaben.',
  'prices.windows':
    'Zeitfenster eines Preisplans, höchstens drei: von wann bis wann so viele Minuten Warmwasser bereitet wird, mindestens 60. Am Ende ist es bereit.',
  'web.enabled': 'Nein = es gibt keine Seite.',
  'web.listen':
    'Adresse dieses Rechners, unter der es die Seite gibt; 0.0.0.0 = alle. Eine andere als 127.0.0.1 braucht web.password mit mindestens 8 Zeichen.',
  'web.port': 'Port der Seite.',
  'web.password':
    'Passwort der Seite: wie es ist, oder wie `heating2mqtt web-password` es ausgibt. Ohne eines ist die Seite nur auf diesem Rechner zu sehen, und in einem Container gar nicht.',
  'web.hosts':
    'Namen, unter denen die Seite erreicht wird, neben IP-Adressen, Namen ohne Punkt, Namen in .local und dem Namen dieses Rechners. Anfragen mit anderen Namen werden abgelehnt.',
  'web.base_path': 'Pfad, unter dem ein Reverse-Proxy die Seite zeigt, wenn der Proxy ihn in seinen Anfragen lässt.',
  'web.trusted_proxies': 'Adressen oder Netze von Reverse-Proxys, deren X-Forwarded-Zeilen geglaubt wird.',
  'web.frame_ancestors': 'Websites, die die Seite in einem Rahmen zeigen dürfen.',
  'web.ingress':
    'Port für den Ingress von Home Assistant: Der Supervisor erreicht die Seite dort ohne Passwort. Nie nach außen freigeben. Die App setzt 8099 von selbst.',
  'web.update_check':
    'Ja = solange jemand die Seite ansieht, wird GitHub einmal am Tag gefragt, ob es eine neuere Version gibt; die Seite zeigt sie dann. Nicht in der App von Home Assistant, der das Home Assistant selbst sagt.',
  'web.metrics_token': 'Token, mit dem Prometheus /metrics liest (Authorization: Bearer), wenn die Seite ein Passwort hat.',
  language:
    'Sprache der Namen, die Home Assistant und openHAB zeigen, der Wörter, die Entitäten dort zeigen, und der Antworten: en = Englisch, de = Deutsch. Ids, Topics und ihre Payloads bleiben, wie sie sind.',
  data_dir:
    'Ordner für die Anmeldung und den Zustand der Bridge. Standard ist $STATE_DIRECTORY unter systemd, sonst $XDG_STATE_HOME/heating2mqtt; unter macOS ~/Library/Application Support/heating2mqtt, unter Windows %LOCALAPPDATA%\\heating2mqtt; in der App von Home Assistant /data.',
  'log.level': 'Meldungen unter dieser Stufe stehen nicht im Protokoll.',
  'log.format': 'auto = pretty auf einem Terminal, sonst json. In der App von Home Assistant pretty.',
} as const;

/** German descriptions of defaults. */
export const DEFAULTS_DE = {
  'that of the profile': 'der des Profils',
  'only the account above': 'nur das eine Konto',
  'that of the live service; required with v1': 'die des laufenden Dienstes; mit v1 nötig',
  'IoT User; with v2 IoT User offline_access': 'IoT User; mit v2 IoT User offline_access',
  'made from mqtt.base': 'aus mqtt.base gebildet',
  'required with v1': 'mit v1 nötig',
  'not set': 'nicht gesetzt',
  '127.0.0.1; in a container all addresses': '127.0.0.1; in einem Container alle Adressen',
  '~/.local/state/heating2mqtt': '~/.local/state/heating2mqtt',
} as const;
