import { LONGEST_FIELD, topicMistake } from '../shared/topicName.ts';
import { ConnectError, type Version } from './connect.ts';

/** The longest packet that can be written: its length takes four bytes of seven bits (MQTT 5, 1.5.5), after one byte for its kind. */
const LONGEST_PACKET = 1 + 4 + 268_435_455;

type Message = { readonly topic: string; readonly payload: string; readonly correlationData?: Uint8Array };

/** Bytes of a PUBLISH with QoS 1 on the line. */
export const packetBytes = ({ topic, payload, correlationData }: Message, version: Version): number => {
  const correlation = version === '5' && correlationData ? 1 + 2 + correlationData.length : 0;
  const properties = version === '5' ? lengthBytes(correlation) + correlation : 0;
  const rest = 2 + Buffer.byteLength(topic) + 2 + properties + Buffer.byteLength(payload);
  return 1 + lengthBytes(rest) + rest;
};

/** Why this message must not be sent to a broker that takes packets of at most `maximum` bytes; undefined where it may. */
export const packetMistake = (message: Message, version: Version, maximum: number): string | undefined => {
  const topic = topicMistake(message.topic);
  if (topic) return `no broker takes its topic: ${topic}`;
  const correlation = message.correlationData?.length ?? 0;
  if (correlation > LONGEST_FIELD) return `its correlation data has ${correlation} bytes; ${LONGEST_FIELD} are allowed`;
  const bytes = packetBytes(message, version);
  if (bytes <= Math.min(maximum, LONGEST_PACKET)) return undefined;
  return `${bytes} bytes are more than the broker's limit of ${Math.min(maximum, LONGEST_PACKET)}`;
};

/** Bytes that a length takes in a packet. */
const lengthBytes = (length: number): number => (length < 128 ? 1 : length < 16_384 ? 2 : length < 2_097_152 ? 3 : 4);

/** What became of a message, of which the client gave up with this: only an acknowledgement carries a number, the broker's reason for not taking it. */
export const publishFailure = (cause: unknown): ConnectError => {
  const message = cause instanceof Error ? cause.message : String(cause);
  const isRefusal = cause instanceof Error && 'code' in cause && typeof cause.code === 'number';
  return new ConnectError(isRefusal ? 'refused' : 'network', message, { cause });
};
