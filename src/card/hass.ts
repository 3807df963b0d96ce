import { isRecord } from '../shared/json.ts';

/** What the card uses of the object that Home Assistant's frontend gives to every card. */
export type Hass = {
  readonly states: Readonly<Record<string, HassState>>;
  readonly language?: string;
  readonly locale?: { readonly language?: string };
  readonly themes?: { readonly darkMode?: boolean };
  /** Its groups are not told. */
  readonly user?: { readonly id?: string; readonly is_admin?: boolean };
  /** Rejects where Home Assistant refuses; `notifyOnError: false` leaves out its own message. */
  callService(domain: string, service: string, data: object, target: object, notifyOnError: boolean): Promise<unknown>;
};

export type HassState = {
  readonly entity_id: string;
  readonly state: string;
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** True where Home Assistant has refused a call because of the user. */
export const isForbidden = (cause: unknown): boolean =>
  isRecord(cause) && (cause['code'] === 'unauthorized' || cause['message'] === 'Unauthorized');

/** By user and entity: Home Assistant logs each refusal. */
const asked = new Map<string, Promise<boolean>>();

/**
 * False where the user may not change the entity. An update is refused as a change is, and does nothing to an entity of MQTT; it is asked for once
 * for each entity until the page is loaded anew.
 */
export const mayChange = (hass: Hass, entity: string): Promise<boolean> => {
  if (hass.user?.is_admin !== false) return Promise.resolve(true);
  const key = `${hass.user.id} ${entity}`;
  const answer =
    asked.get(key) ??
    hass.callService('homeassistant', 'update_entity', {}, { entity_id: entity }, false).then(
      () => true,
      (cause: unknown) => !isForbidden(cause),
    );
  asked.set(key, answer);
  return answer;
};

/** The configuration of a card in a dashboard. */
export type CardConfig = { readonly type: string; readonly entity?: string; readonly title?: string };

/** The friendly name of an entity. */
export const nameOf = ({ entity_id: id, attributes }: HassState): string => {
  const name = attributes['friendly_name'];
  return typeof name === 'string' && name !== '' ? name : id;
};
