/** One MQTT message. Retained truth has `retain: true`; an empty payload then clears the topic. QoS is 1 everywhere. */
export type Message = {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
};
