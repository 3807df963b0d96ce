const below = (place: 'auth_url' | 'base_url', what: string, ...ids: readonly string[]): string =>
  `${what} Pfad unter ${place}, statt des Pfads aus platform.profile.${ids.length === 0 ? '' : ` Braucht ${ids.map((id) => `{${id}}`).join(', ')}.`}`;

/** The German meaning of every setting. The schema has the English ones. */
export const SETTINGS_DE = {
  'platform.profile':
    'Pfade der Plattform. v2 = die des laufenden Dienstes, mit dessen Adressen und Rechten als Standard; Geräte werden von selbst gefunden. v1 = die dokumentierten Pfade, falls deine Plattform sie hat. auto = v2, oder v1, wenn platform.base_url gesetzt ist.',
  'platform.base_url': 'Adresse des Dienstes der Plattform für Nutzer und Geräte.',
  'platform.auth_url': 'Adresse des Anmeldedienstes der Plattform.',
  'platform.client_id': 'Client-ID, die du bei der Plattform angelegt hast.',
  'platform.redirect_uri': 'Adresse, zu der die Anmeldung den Browser zurückschickt, genau wie beim Client eingetragen.',
  'platform.scope': 'Rechte, die die Anmeldung verlangt. Ohne offline_access gilt eine Anmeldung nur eine Stunde.',
  'platform.read':
    'feature = ein Aufruf je Feature; device = ein Aufruf für alle Features eines Geräts; gateway = ein Aufruf für alle Geräte eines Gateways (v2); auto = mit v2 so wenige Aufrufe wie möglich; mit v1 device, wenn ein Feature als Muster geschrieben ist, sonst feature.',
  'platform.paths.authorize': below('auth_url', 'Seite, auf der man sich anmeldet.'),
  'platform.paths.token': below('auth_url', 'Ausgabe und Erneuerung von Tokens.'),
  'platform.paths.identity': below('base_url', 'Das Konto, zu dem ein Token gehört.'),
  'platform.paths.installations': below(
    'base_url',
    'Liste der Anlagen mit ihren Gateways und Geräten; damit werden Geräte von selbst gefunden.',
  ),
  'platform.paths.feature': below('base_url', 'Ein Feature.', 'gateway', 'device', 'feature'),
  'platform.paths.device_features': below('base_url', 'Alle Features eines Geräts.', 'gateway', 'device'),
  'platform.paths.command': below('base_url', 'Ein Befehl.', 'gateway', 'device', 'feature', 'command'),
  'platform.paths.gateway_all': below('base_url', 'Alle Features eines Gateways und seiner Geräte in einer Antwort.', 'gateway'),
  'platform.paths.gateway_features': below('base_url', 'Alle Features des Geräts namens gateway.', 'gateway'),
  'platform.paths.gateway_feature': below('base_url', 'Ein Feature des Geräts namens gateway.', 'gateway', 'feature'),
  'platform.paths.gateway_command': below('base_url', 'Ein Befehl des Geräts namens gateway.', 'gateway', 'feature', 'command'),
  'platform.timeout_s': 'Sekunden, die ein Aufruf dauern darf, von der Verbindung bis zum letzten Byte.',
  'platform.quota.per_10_minutes': 'Aufrufe, die die Plattform in 10 Minuten erlaubt.',
  'platform.quota.per_day': 'Aufrufe, die die Plattform in 24 Stunden erlaubt.',
  'platform.quota.reserve_for_commands': 'Aufrufe am Tag, die für Befehle reserviert sind.',
  'platform.consent_days':
    'Tage von einer Anmeldung bis zum Ende ihres Refresh-Tokens; 30 Tage vorher melden es bridge/auth und das Protokoll.',
  'platform.login_over_mqtt':
    'Ja = ist eine Anmeldung nötig, zeigt bridge/auth die Adresse dafür, und bridge/auth/set nimmt die Adresse an, zu der der Browser zurückkommt. Jeder, der auf dieses Topic schreiben darf, kann sich dann anmelden, nach der ersten Anmeldung nur mit demselben Konto.',
  'poll.seconds':
    'Sekunden von einer Abfrage zur nächsten. auto = so schnell, wie es das Kontingent erlaubt, mindestens 60. Eine Zahl, für die das Tageskontingent nicht reicht, wird erhöht, mit einer Warnung.',
  'poll.jitter': 'Anteil des Abstands, um den eine Abfrage früher oder später kommt, damit nicht alle Bridges gleichzeitig abfragen.',
  'poll.gone_after_h':
    'Stunden, und mindestens drei vollständige Abfragen, in denen ein Feature fehlen muss, bevor seine Topics gelöscht werden.',
  'mqtt.url':
    'Adresse des Brokers: mqtt:// oder ws://, mit TLS mqtts:// oder wss://. Mehrere Adressen, für die Knoten eines Clusters, als Liste oder mit Kommas dazwischen: Fällt eine aus, folgt die nächste. Ohne Adresse nimmt die App in Home Assistant dessen Broker.',
  'mqtt.username': 'Benutzername beim Broker.',
  'mqtt.password': 'Passwort beim Broker.',
  'mqtt.base': 'Erste Ebene (oder Ebenen) aller Topics. Jede Bridge an einem Broker braucht eine eigene.',
  'mqtt.version': 'MQTT-Version; auto = 5, oder 3.1.1, wenn der Broker 5 nicht kann.',
  'mqtt.ca': 'Datei (PEM) mit der eigenen Zertifizierungsstelle (CA), die das Zertifikat des Brokers ausgestellt hat.',
  'mqtt.cert': 'Datei (PEM) mit dem Client-Zertifikat, für Broker, die eines verlangen.',
  'mqtt.key': 'Datei (PEM) mit dem Schlüssel zum Client-Zertifikat.',
  'mqtt.client_id': 'MQTT-Client-ID, falls der Broker eine bestimmte erwartet.',
  'mqtt.max_payload':
    'Höchste Länge einer Nachricht an die Bridge, in Bytes; eine längere wird abgelehnt, außer das Topic zeigt selbst so viel. Mit MQTT 5 soll der Broker zurückhalten, was mehr als 9 MB länger ist.',
  'homeassistant.discovery':
    'device = ein Discovery-Dokument für jedes Gerät und jeden Teil davon, für Home Assistant ab 2024.11 und openHAB ab 5.2; off = keine, und vorhandene werden entfernt.',
  'homeassistant.prefix': 'Discovery-Präfix, wie in Home Assistant eingestellt.',
  'homeassistant.import':
    'Ja = in der App für Home Assistant kann die Seite „Bilanz“ den Verbrauch vor der Installation in die Statistik von Home Assistant importieren und dort wieder entfernen.',
  'homeassistant.status_topic': 'Topic der Geburtsnachricht von Home Assistant, nach der die Dokumente noch einmal veröffentlicht werden.',
  devices:
    'Geräte, die abgefragt werden: eine Liste, in der Umgebung als JSON. Werden Geräte von selbst gefunden (v2), werden ohne Liste alle abgefragt; mit einer Liste nur die, auf die ein Eintrag passt. Der erste passende Eintrag gilt.',
  'schedules.time_zone':
    'Zeitzone der Heizung, für die jetzige und nächste Betriebsart eines Zeitplans; auto = die Zeitzone, die die Plattform für die Anlage nennt, sonst die des Rechners (siehe bridge/info).',
  'schedules.profiles':
    'Benannte Wochen oder Tage daraus: als Text oder als JSON, in der Umgebung alle als JSON. Passende lassen sich auf dem Topic profile eines Zeitplans wählen.',
  'schedules.seasons':
    'Zeitpläne, die ihre Woche mit der Jahreszeit wechseln, jeder in der Form aus docs/schedules.md: GERÄT FEATURE, je ein Profil für summer und winter, und die Tage des Sommers (MM-TT) oder above GRAD, die Grenze für das Drei-Tage-Mittel der Außentemperatur (±1 K). Gesendet wird erst, wenn jemand die Vorschau bestätigt hat. Ein Wechsel steht einen Tag vorher auf bridge/seasons; höchstens einer in der Woche.',
  'calendar.rules':
    'Was Termine aus Kalendern bewirken: eine geordnete Liste, TITEL -> WIRKUNG. Die Wirkung ist profile NAME, program NAME, holiday oder holiday-at-home; die erste passende Regel gilt. Es geschieht nichts, bis die Vorschau freigegeben ist.',
  'calendar.addresses':
    'Adressen von Kalendern (ICS), durch Leerzeichen getrennt: https: oder webcal:, jede Stunde abgerufen. Adressen sind geheim: Gezeigt werden nur der Rechnername und die letzten 4 Zeichen.',
  'calendar.allow_private':
    'Ja = Kalenderadressen dürfen im eigenen Netzwerk liegen, dann auch mit http:. Auf der Seite lässt sich das nicht ändern.',
  'commands.settle_ms':
    'Millisekunden, die eine Änderung einiger Tage einer Woche auf Änderungen anderer Tage wartet, damit ein Befehl daraus wird; insgesamt höchstens 2 s.',
  'commands.fresh_s':
    'Höchstes Alter in Sekunden eines Datensatzes, der eine unvollständige Änderung ergänzt (einige Tage einer Woche, einer von mehreren Parametern); ist er älter, wird er vorher neu abgefragt. Was in dieser Zeit in der App des Herstellers geändert wird, kann überschrieben werden.',
  'commands.confirm_s':
    'Sekunden nach einem Befehl, zu denen abgefragt wird, ob die Änderung da ist; nach der ersten Bestätigung nicht mehr.',
  'commands.per_hour': 'Höchste Zahl von Befehlen an ein Feature in einer Stunde, zum Schutz vor einer fehlerhaften Automation.',
  'commands.allow': 'Erlaubte Befehle, als Muster für Feature/Befehl; [] = nur lesen.',
  'commands.deny':
    'Verbotene Befehle, als Muster für Feature/Befehl, auch wenn commands.allow sie enthält. Standard sind Befehle, die einen Teil der Anlage entfernen, hinzufügen oder verschieben.',
  'events.minutes':
    'Minuten zwischen zwei Abfragen der Störungen und anderen Ereignisse (v2): ein Aufruf je Anlage, und höchstens zehn weitere am Tag, wenn etwas geschieht; 0 = nie.',
  'energy.price': 'Preis einer kWh Strom in deiner Währung. Jeder Tag wird mit dem Preis dieses Tages berechnet, ohne Grundgebühren.',
  'energy.gas_price': 'Preis einer kWh Gas; eines m³, wenn die Heizung m³ meldet und gas.calorific_value oder gas.state_number fehlt.',
  'energy.co2': 'g CO₂ einer kWh Strom.',
  'energy.gas_co2': 'g CO₂ einer kWh Gas, oder eines m³, wie bei energy.gas_price.',
  'gas.calorific_value': 'Brennwert deines Gases in kWh je m³, laut Rechnung. Zusammen mit gas.state_number erscheint Gas auch in kWh.',
  'gas.state_number': 'Zustandszahl deines Gases, laut Rechnung.',
  accounts:
    'Weitere Konten der Plattform, jedes mit Topics unter mqtt.base/NAME und einem Ordner accounts/NAME in data_dir: eine Liste von Einträgen mit name, client_id und jeder Einstellung, in der das Konto abweicht. Auch eine Datei accounts.d/NAME.yaml in data_dir ist ein Eintrag. Siehe docs/accounts.md.',
  'history.days': 'So viele Tage werden Werte für die Verläufe der Seite gespeichert, höchstens einer in zehn Minuten; 0 = keine.',
  'prices.topic': 'Topic mit Strompreisen; damit schlägt die Bridge vor, wann Warmwasser am billigsten ist. Gesendet wird nur auf Wunsch.',
  'prices.url':
    'Adresse (https:) mit Strompreisen als JSON, jede Stunde abgerufen, statt prices.topic oder zusätzlich. Die Adresse ist geheim: Gezeigt werden nur der Rechnername und die letzten 4 Zeichen.',
  'prices.allow_private':
    'Ja = prices.url darf im eigenen Netzwerk liegen, dann auch mit http:. Auf der Seite lässt sich das nicht ändern.',
  'prices.unit':
    'Einheit der Preise: MWh, kWh, oder cent = Cent je kWh. auto = laut Quelle, sonst geschätzt, und dann ohne Beträge in Geld.',
  'prices.currency': 'Währung der Preise, drei Buchstaben.',
  'prices.windows':
    'Zeitfenster eines Preisplans, höchstens drei: von wann bis wann, und wie viele Minuten (mindestens 60) Warmwasser darin bereitet wird. Am Ende des Fensters ist es bereit.',
  'web.enabled': 'Nein = es gibt keine Seite.',
  'web.listen':
    'Adresse dieses Rechners, unter der die Seite erreichbar ist; 0.0.0.0 = alle. Jede andere als 127.0.0.1 braucht web.password mit mindestens 8 Zeichen.',
  'web.port': 'Port der Seite.',
  'web.password':
    'Passwort der Seite: im Klartext oder so, wie `heating2mqtt web-password` es ausgibt. Ohne Passwort ist die Seite nur auf diesem Rechner erreichbar, in einem Container gar nicht.',
  'web.hosts':
    'Weitere Namen, unter denen die Seite erreichbar ist, neben IP-Adressen, Namen ohne Punkt, Namen in .local und dem Namen dieses Rechners. Anfragen mit anderen Namen werden abgelehnt.',
  'web.base_path': 'Pfad, unter dem ein Reverse-Proxy die Seite zeigt, falls er diesen Pfad in seinen Anfragen lässt.',
  'web.trusted_proxies': 'Adressen oder Netzwerke von Reverse-Proxys, deren X-Forwarded-Headern vertraut wird.',
  'web.frame_ancestors': 'Websites, die diese Seite einbetten dürfen (iframe).',
  'web.ingress':
    'Port für den Ingress von Home Assistant: Der Supervisor erreicht die Seite dort ohne Passwort. Nie nach außen freigeben. Die App setzt 8099 von selbst.',
  'web.update_check':
    'Ja = solange die Seite geöffnet ist, wird GitHub einmal am Tag nach einer neueren Version gefragt; die Seite zeigt sie dann. Nicht in der App für Home Assistant: Dort meldet es Home Assistant selbst.',
  'web.metrics_token': 'Token, mit dem Prometheus /metrics liest (Authorization: Bearer), wenn die Seite ein Passwort hat.',
  language:
    'Sprache der Namen, die Home Assistant und openHAB zeigen, der Zustände dort und der Antworten: en = Englisch, de = Deutsch. IDs, Topics und ihre Payloads bleiben gleich.',
  data_dir:
    'Ordner für die Anmeldung und die Daten der Bridge. Standard ist $STATE_DIRECTORY unter systemd, sonst $XDG_STATE_HOME/heating2mqtt; unter macOS ~/Library/Application Support/heating2mqtt, unter Windows %LOCALAPPDATA%\\heating2mqtt; in der App für Home Assistant /data.',
  'log.level': 'Meldungen unter dieser Stufe erscheinen nicht im Protokoll.',
  'log.format': 'auto = pretty auf einem Terminal, sonst json. In der App für Home Assistant pretty.',
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
