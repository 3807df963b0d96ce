/** The German place of a setting in a file, such as `config/local.yaml, line 2, column 5`. */
export const placeDe = (place: string): string =>
  place.replace(
    /, line (\d+)(?:, column (\d+))?/,
    (_, line, column) => `, Zeile ${line}${column === undefined ? '' : `, Spalte ${column}`}`,
  );

/** German texts for broken rules of a setting, after its name. */
export const MISTAKES_DE = {
  required: 'fehlt',
  short: 'braucht mindestens 8 Zeichen',
  again: 'Das gespeicherte Passwort gehört zu einem anderen Broker. Gib es noch einmal ein.',
  tokens: 'gehört zu einem anderen Dienst als die gespeicherte Anmeldung; halte zuerst die Bridge an und entferne tokens.json',
  twice: 'ist doppelt vergeben',
  duplicate: 'hat einen Schlüssel doppelt',
  both: 'ist doppelt gesetzt, auch mit _FILE',
  reserved: 'ist nicht möglich, denn die Bridge verwendet es selbst',
  unknown: 'gibt es nicht',
  type: 'hat nicht die richtige Form',
  choice: 'hat keinen der möglichen Werte',
  empty: 'ist leer',
  min: 'ist zu klein',
  max: 'ist zu groß',
  whole: 'ist keine ganze Zahl',
  order: 'ist nicht aufsteigend',
  length: 'hat nicht die richtige Länge',
  text: 'enthält ungültige Zeichen; erlaubt ist eine Zeile Text',
  url: 'ist keine gültige Adresse',
  port: 'hat keinen gültigen Port (1 bis 65535)',
  path: 'ist kein gültiger Pfad',
  topic: 'ist kein gültiges Topic',
  window: 'hat keine gültigen Zeitfenster (22:00-06:30 60 min)',
  host: 'ist kein Rechnername',
  address: 'ist keine IP-Adresse',
  network: 'ist keine IP-Adresse und kein Netzwerk',
  origin: 'ist keine Adresse einer Website',
  zone: 'ist keine Zeitzone',
  password: 'sieht wie ein verschlüsseltes Passwort aus, ist aber keines',
  name: 'ist kein Name für ein Profil',
  currency: 'ist keine Währung aus drei Buchstaben (EUR)',
  season: 'ist kein Zeitplan mit seinen Jahreszeiten',
  calendar_rule: 'ist keine Kalenderregel',
  feature: 'ist kein Name eines Features',
  command: 'passt auf keinen Befehl',
  unreadable: 'nennt eine Datei, die sich nicht lesen lässt',
  utf8: 'ist keine Datei in UTF-8',
  unreadable_file: 'lässt sich nicht lesen',
  syntax: 'ist kein gültiges YAML',
  no_keys: 'enthält keine Einstellungen',
  fixed: 'ist anderswo festgelegt',
  contradiction: 'passt nicht zu einer anderen Einstellung',
} as const;

const RULES_DE: Readonly<Record<string, string>> = MISTAKES_DE;

/** The text for an account with wrong settings; `rules`: the broken rule by place. */
export const wrongAccountDe = (rules: Readonly<Record<string, unknown>>): string => {
  const mistakes = Object.entries(rules).map(([where, rule]) => `${placeDe(where)} ${RULES_DE[String(rule)] ?? 'ist nicht richtig'}`);
  return `In den Einstellungen dieses Kontos ist etwas falsch: ${mistakes.join('; ')}. Mehr steht im Protokoll.`;
};

/** Texts for contradictory settings. */
export const CONTRADICTIONS_DE = {
  'mqtt.ca': 'braucht eine mqtt.url mit TLS: mqtts:// oder wss://',
  'mqtt.cert': 'braucht auch mqtt.key und eine mqtt.url mit TLS: mqtts:// oder wss://',
  'mqtt.key': 'braucht auch mqtt.cert und eine mqtt.url mit TLS: mqtts:// oder wss://',
  'mqtt.username': 'steht auch in mqtt.url; es darf nur an einer Stelle stehen',
  'mqtt.password': 'braucht einen Benutzer und darf nicht auch in mqtt.url stehen',
  'mqtt.base': 'ist auch homeassistant.prefix; nimm ein anderes Topic',
  'platform.read': 'passt nicht zu platform.profile oder den Geräten; auto passt immer',
  'platform.quota.reserve_for_commands': 'lässt keinen Aufruf für Abfragen übrig',
  'history.days': 'ist zu kurz für schedules.seasons nach der Außentemperatur; nimm 5 oder mehr',
  'schedules.seasons': 'nennt ein Profil, das es in schedules.profiles nicht gibt, oder einen Zeitplan zum zweiten Mal',
  'calendar.addresses': 'enthält eine http:-Adresse, die calendar.allow_private braucht; nimm https:',
  'prices.url': 'ist eine http:-Adresse, die prices.allow_private braucht; nimm https:',
  'web.ingress': 'ist auch web.port; nimm einen eigenen Port',
} as const;
