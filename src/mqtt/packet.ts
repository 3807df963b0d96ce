import { messageOf } from '../shared/errors.ts';
import type { Outgoing } from '../shared/message.ts';
import { topicMistake } from '../shared/topicName.ts';
import { ConnectError, type Version } from './connect.ts';

/** Size of a PUBLISH packet with QoS 1, in bytes. */
export const packetBytes = ({ topic, payload, correlationData }: Omit<Outgoing, 'retain'>, version: Version): number => {
  const correlation = version === '5' && correlationData ? 1 + 2 + correlationData.length : 0;
  const properties = version === '5' ? lengthBytes(correlation) + correlation : 0;
  const rest = 2 + Buffer.byteLength(topic) + 2 + properties + Buffer.byteLength(payload);
  return 1 + lengthBytes(rest) + rest;
};

type Limits = { readonly maximumPacketSize: number; readonly refusesDots: boolean };

/** Why a broker with these limits must not get this message; undefined if it may. */
export const packetMistake = (message: Outgoing, version: Version, { maximumPacketSize, refusesDots }: Limits): string | undefined => {
  if (refusesDots && hasDot(message.topic)) return DOT_REFUSED;
  const topic = topicMistake(message.topic);
  if (topic) return `brokers do not accept its topic: ${topic}`;
  const bytes = packetBytes(message, version);
  return bytes > maximumPacketSize ? `it has ${bytes} bytes; the limit of the broker is ${maximumPacketSize}` : undefined;
};

/** NATS before 2.10 ends the connection at each message on a topic with a `.`; it refuses such subscriptions. */
export const hasDot = (topic: string): boolean => topic.includes('.');

const DOT_REFUSED = 'the broker ends the connection at each topic with a "."';

/** The error of a subscription; mqtt.js keeps the broker's answer of a refusal. */
export const subscribeError = (cause: unknown): ConnectError => {
  const isRefusal = cause instanceof Error && 'packet' in cause && cause.packet !== undefined;
  return new ConnectError(isRefusal ? 'refused' : 'network', messageOf(cause), { cause });
};

/** Size of an encoded length, in bytes. */
const lengthBytes = (length: number): number => (length < 128 ? 1 : length < 16_384 ? 2 : length < 2_097_152 ? 3 : 4);
