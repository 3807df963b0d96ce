import { isRecord } from '../shared/json.ts';

/** The used parts of the `hass` object that Home Assistant's frontend passes to each card. */
export type Hass = {
  readonly states: Readonly<Record<string, HassState>>;
  readonly language?: string;
  readonly locale?: { readonly language?: string };
  readonly themes?: { readonly darkMode?: boolean };
  /** Home Assistant does not report the user's groups. */
  readonly user?: { readonly id?: string; readonly is_admin?: boolean };
  /** Rejects if Home Assistant refuses; `notifyOnError: false` suppresses its own message. */
  callService(domain: string, service: string, data: object, target: object, notifyOnError: boolean): Promise<unknown>;
};

export type HassState = {
  readonly entity_id: string;
  readonly state: string;
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** True if Home Assistant refused a call for lack of permission. */
export const isForbidden = (cause: unknown): boolean =>
  isRecord(cause) && (cause['code'] === 'unauthorized' || cause['message'] === 'Unauthorized');

/** By user and entity, because Home Assistant logs each refusal. */
const asked = new Map<string, Promise<boolean>>();

/**
 * False if the user may not change the entity. The test calls `update_entity`: it needs the same permission,
 * has no effect on MQTT entities, and runs once per entity and page load.
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
