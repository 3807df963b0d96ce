/** What the card uses of the object that Home Assistant's frontend gives to every card. */
export type Hass = {
  readonly states: Readonly<Record<string, HassState>>;
  readonly language?: string;
  readonly locale?: { readonly language?: string };
  readonly themes?: { readonly darkMode?: boolean };
  /** Rejects where Home Assistant refuses; `notifyOnError: false` leaves out its own message. */
  callService(domain: string, service: string, data: object, target: object, notifyOnError: boolean): Promise<unknown>;
};

export type HassState = {
  readonly entity_id: string;
  readonly state: string;
  readonly attributes: Readonly<Record<string, unknown>>;
};

/** The configuration of a card in a dashboard. */
export type CardConfig = { readonly type: string; readonly entity?: string; readonly title?: string };

/** The friendly name of an entity. */
export const nameOf = ({ entity_id: id, attributes }: HassState): string => {
  const name = attributes['friendly_name'];
  return typeof name === 'string' && name !== '' ? name : id;
};
