import type { Language } from '../language.ts';

/** The browser's text if the page refuses access: a heading and advice. */
type Refusal = readonly [title: string, ...sentences: string[]];

/** By code, for refusals before the page is loaded; `{port}`: the port of the page on its machine. */
export const REFUSAL_PAGES: Readonly<Record<string, Readonly<Record<Language, Refusal>>>> = {
  wrong_host: {
    en: [
      'This name is not known here',
      'The page answers only under names that it knows, so that no other site can reach it through your browser.',
      'Open it by the IP address of its machine, such as http://192.168.1.20:8427/, or by a name without a dot or with .local at its end.',
      'For this name too, add it to web.hosts: on the page, which is open then, under “All settings”, in the settings file, or as HEATING2MQTT_WEB_HOSTS in the environment.',
    ],
    de: [
      'Dieser Name ist hier nicht bekannt',
      'Die Seite antwortet nur unter bekannten Namen, damit keine andere Website sie über deinen Browser erreicht.',
      'Öffne sie mit der IP-Adresse ihres Rechners, zum Beispiel http://192.168.1.20:8427/, oder mit einem Namen ohne Punkt oder mit .local am Ende.',
      'Soll auch dieser Name gelten, trage ihn als web.hosts ein: auf der dann geöffneten Seite unter „Alle Einstellungen“, in der Einstellungsdatei oder als HEATING2MQTT_WEB_HOSTS in der Umgebung.',
    ],
  },
  password_missing: {
    en: [
      'This page needs a password for other machines',
      'It has none yet, so only its own machine can open it: go there to http://127.0.0.1:{port}/.',
      'Set a password there under “Password of this page”, in the settings file as web.password, or as HEATING2MQTT_WEB_PASSWORD in the environment.',
    ],
    de: [
      'Für andere Rechner braucht diese Seite ein Passwort',
      'Sie hat noch keines und lässt sich darum nur auf ihrem eigenen Rechner öffnen: dort unter http://127.0.0.1:{port}/.',
      'Setze dort ein Passwort unter „Passwort dieser Seite“, in der Einstellungsdatei als web.password oder als HEATING2MQTT_WEB_PASSWORD in der Umgebung.',
    ],
  },
};
