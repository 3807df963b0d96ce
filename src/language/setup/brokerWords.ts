import { dictionary, textsOf } from '../texts.ts';

const UNREACHABLE = [
  'This host cannot be reached from the machine of the bridge.',
  'Dieser Rechner ist von der Bridge aus nicht erreichbar.',
] as const;
const NO_MQTT = [
  'A program answers there, but it is not an MQTT broker, or only one side uses TLS: try mqtts:// in place of mqtt://, or the other way round. The usual ports are 1883, and 8883 with TLS.',
  'Dort antwortet ein Programm, aber kein MQTT-Broker, oder nur eine Seite nutzt TLS: Versuche mqtts:// statt mqtt:// oder umgekehrt. Üblich sind die Ports 1883 und, mit TLS, 8883.',
] as const;
const WRONG_CLIENT_ID = ['The broker does not accept the client id.', 'Der Broker nimmt die Client-ID nicht an.'] as const;
const WRONG_LOGIN = [
  'The broker says that user name or password is wrong.',
  'Laut Broker ist der Benutzername oder das Passwort falsch.',
] as const;
const NOT_LET_IN = [
  'The broker does not let this user in. Check user name and password.',
  'Der Broker lässt diesen Benutzer nicht zu. Prüfe Benutzername und Passwort.',
] as const;

/** The texts of the broker's form. */
export const BROKER_WORDS = textsOf({
  brokerTitle: ['Where is your MQTT broker?', 'Wo ist dein MQTT-Broker?'],
  brokerText: [
    'The broker is the program that passes messages on, such as Mosquitto. Home Assistant, Node-RED and others read your heating there.',
    'Der Broker ist das Programm, das Nachrichten weiterreicht, zum Beispiel Mosquitto. Von dort bekommen Home Assistant, Node-RED und andere die Werte deiner Heizung.',
  ],
  brokerAddress: ['Address of the broker', 'Adresse des Brokers'],
  brokerAddressHint: [
    'With Home Assistant and the Mosquitto app: mqtt://homeassistant.local:1883. With TLS: mqtts://…',
    'Mit Home Assistant und der Mosquitto-App: mqtt://homeassistant.local:1883. Mit TLS: mqtts://…',
  ],
  brokerOfHome: [
    'Leave this empty: the bridge asks Home Assistant for its broker. Enter an address for another broker.',
    'Leer lassen, um den Broker von Home Assistant zu benutzen. Für einen anderen Broker dessen Adresse eintragen.',
  ],
  brokerUser: ['User name', 'Benutzername'],
  brokerPassword: ['Password', 'Passwort'],
  optional: ['if the broker asks for one', 'falls der Broker danach fragt'],
  brokerTest: ['Test and go on', 'Testen und weiter'],
  testing: ['Testing …', 'Wird getestet …'],
  brokerWorks: ['The broker answers.', 'Der Broker antwortet.'],
  brokerFaults: dictionary({
    ECONNREFUSED: [
      'No program answers there. Is the broker running, and are name and port right? The usual port is 1883.',
      'Dort antwortet kein Programm. Läuft der Broker, und stimmen Name und Port? Üblich ist der Port 1883.',
    ],
    ENOTFOUND: [
      'This host name is not known. Write it as your network knows it, or use the IP address.',
      'Dieser Rechnername ist nicht bekannt. Schreibe ihn so, wie dein Netzwerk ihn kennt, oder nimm die IP-Adresse.',
    ],
    EAI_AGAIN: [
      'This host name cannot be looked up now. Try the IP address.',
      'Dieser Rechnername lässt sich gerade nicht auflösen. Versuche es mit der IP-Adresse.',
    ],
    ETIMEDOUT: [
      'This host does not answer. Is it switched on and in the same network?',
      'Dieser Rechner antwortet nicht. Ist er eingeschaltet und im selben Netzwerk?',
    ],
    EHOSTUNREACH: UNREACHABLE,
    ENETUNREACH: UNREACHABLE,
    network: ['The connection failed. Check the address.', 'Die Verbindung ist fehlgeschlagen. Prüfe die Adresse.'],
    no_broker: [
      'Home Assistant has no broker yet. Install the app “Mosquitto broker” and start it.',
      'Home Assistant hat noch keinen Broker. Installiere die App „Mosquitto broker“ und starte sie.',
    ],
    dropped: NO_MQTT,
    ECONNRESET: NO_MQTT,
    version: [
      'The broker does not speak the version of MQTT that the settings ask for.',
      'Der Broker unterstützt die MQTT-Version aus den Einstellungen nicht.',
    ],
    '2': WRONG_CLIENT_ID,
    '133': WRONG_CLIENT_ID,
    '4': WRONG_LOGIN,
    '134': WRONG_LOGIN,
    '5': NOT_LET_IN,
    '135': NOT_LET_IN,
    '154': [
      'The broker keeps no retained messages, which the bridge and hubs need (in Mosquitto: retain_available).',
      'Der Broker speichert keine Nachrichten mit retain; die Bridge und Hausautomationen brauchen das (in Mosquitto: retain_available).',
    ],
    '155': [
      'The broker accepts no messages with QoS 1, which the bridge needs (in Mosquitto: max_qos).',
      'Der Broker nimmt keine Nachrichten mit QoS 1 an; die Bridge braucht das (in Mosquitto: max_qos).',
    ],
    EPROTO: [
      'This port does not use TLS. Use mqtt:// in place of mqtts://, or the port for TLS (8883).',
      'Dieser Port nutzt kein TLS. Nimm mqtt:// statt mqtts:// oder den Port für TLS (8883).',
    ],
    DEPTH_ZERO_SELF_SIGNED_CERT: [
      'The certificate of the broker is self-signed. Enter its file as mqtt.ca under “All settings”, or use mqtt:// in your own network.',
      'Das Zertifikat des Brokers ist selbstsigniert. Trage seine Datei unter „Alle Einstellungen“ als mqtt.ca ein, oder nimm im eigenen Netzwerk mqtt://.',
    ],
    CERT_HAS_EXPIRED: ['The certificate of the broker has expired.', 'Das Zertifikat des Brokers ist abgelaufen.'],
    ERR_TLS_CERT_ALTNAME_INVALID: [
      'The certificate of the broker is for another host name.',
      'Das Zertifikat des Brokers gilt für einen anderen Rechnernamen.',
    ],
  }),
});
