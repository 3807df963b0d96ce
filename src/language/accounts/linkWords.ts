import { dictionary, textsOf } from '../texts.ts';

/** The texts of the page behind a link for a login. */
export const LINK_WORDS = textsOf({
  title: ['Login for the heating', 'Anmeldung für die Heizung'],
  intro: [
    (account: string) =>
      `The person who runs heating2mqtt asks you to log in to Viessmann for ${account === '' ? 'the main account' : `the account “${account}”`}. Only this login can be done here.`,
    (account: string) =>
      `Die Person, die heating2mqtt betreibt, bittet um deine Anmeldung bei Viessmann für das ${account === '' ? 'Hauptkonto' : `Konto „${account}“`}. Hier ist nur diese Anmeldung möglich.`,
  ],
  start: ['Begin', 'Beginnen'],
  first: ['1. Open the login of Viessmann and log in there.', '1. Öffne die Anmeldung von Viessmann und melde dich dort an.'],
  open: ['Open the login', 'Anmeldung öffnen'],
  second: [
    (redirect: string) => `2. At the end the browser shows an address that begins with ${redirect}. An error page there is all right.`,
    (redirect: string) => `2. Am Ende zeigt der Browser eine Adresse, die mit ${redirect} beginnt. Eine Fehlerseite dort ist in Ordnung.`,
  ],
  third: [
    '3. Copy that whole address within 20 seconds and paste it here.',
    '3. Kopiere diese ganze Adresse innerhalb von 20 Sekunden und füge sie hier ein.',
  ],
  address: ['Address at the end of the login', 'Adresse am Ende der Anmeldung'],
  send: ['Finish', 'Abschließen'],
  done: [
    (account: string) =>
      `Done: ${account === '' ? 'the main account' : `“${account}”`} is logged in. You can close this page. The link is no longer valid.`,
    (account: string) =>
      `Fertig: ${account === '' ? 'Das Hauptkonto' : `„${account}“`} ist angemeldet. Du kannst diese Seite schließen. Der Link gilt nicht mehr.`,
  ],
  problem: dictionary({
    invalid: [
      'This is not the address of this login. Copy all of it, with code and state.',
      'Das ist nicht die Adresse dieser Anmeldung. Kopiere sie vollständig, mit code und state.',
    ],
    no_login: [
      'The login took too long, or was begun anew. Begin again below.',
      'Die Anmeldung hat zu lange gedauert oder wurde neu begonnen. Beginne unten noch einmal.',
    ],
    access_denied: ['The login was cancelled. Begin again below.', 'Die Anmeldung wurde abgebrochen. Beginne unten noch einmal.'],
    unreachable: [
      'The login cannot begin now: Viessmann does not answer, or refuses it. Try again later, or tell the person who sent you the link.',
      'Die Anmeldung kann gerade nicht beginnen: Viessmann antwortet nicht oder lehnt sie ab. Versuche es später, oder sag der Person Bescheid, die dir den Link geschickt hat.',
    ],
    other: [
      'The login did not work. Begin again below; if it fails again, tell the person who sent you the link.',
      'Die Anmeldung hat nicht geklappt. Beginne unten noch einmal; klappt es wieder nicht, sag der Person Bescheid, die dir den Link geschickt hat.',
    ],
  }),
  fault: {
    used: ['This link was used already: it is valid for one login.', 'Dieser Link wurde schon benutzt: Er gilt für eine Anmeldung.'],
    expired: ['This link has expired: it is valid for 24 hours.', 'Dieser Link ist abgelaufen: Er gilt 24 Stunden.'],
    altered: [
      'This link is not complete, or was changed. Copy all of it.',
      'Dieser Link ist nicht vollständig oder wurde verändert. Kopiere ihn vollständig.',
    ],
    gone: ['The account of this link is not there any more.', 'Das Konto dieses Links gibt es nicht mehr.'],
    failed: [
      'The login did not work. Open the link again and begin again; if it fails again, tell the person who sent you the link.',
      'Die Anmeldung hat nicht geklappt. Öffne den Link noch einmal und beginne neu; klappt es wieder nicht, sag der Person Bescheid, die dir den Link geschickt hat.',
    ],
  },
  newLink: ['Ask the person who sent it for a new one.', 'Frag die Person, die ihn geschickt hat, nach einem neuen.'],
});
