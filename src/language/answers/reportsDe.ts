/** What `bridge/auth` says of the login, by its state; `failing` keeps the platform's own words. */
export const AUTH_DE = {
  ok: 'Angemeldet.',
  refreshing: 'Die Anmeldung wird gerade erneuert.',
  failing: 'Die Anmeldung lässt sich gerade nicht erneuern, oder die Plattform lehnt sie ab. Es wird weiter versucht.',
  login_needed: 'Eine neue Anmeldung ist nötig, auf der Seite der Bridge oder mit `heating2mqtt login`.',
} as const;

/** What follows where a login over MQTT is possible. */
export const LOGIN_URL_DE =
  'Oder login_url öffnen, anmelden, und die Adresse, die der Browser danach zeigt, innerhalb von 20 Sekunden auf bridge/auth/set senden.';
