/** An MQTT message with QoS 1. An empty retained payload clears the topic. */
export type Message = {
  readonly topic: string;
  readonly payload: string;
  readonly retain: boolean;
};
