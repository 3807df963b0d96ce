import type { Life } from '../../../features/faults/lives.ts';
import { momentOf } from '../../../features/faults/lives.ts';
import { deviceTopic } from '../../../topics/topicNames.ts';
import { type Device, type DeviceState, deviceKey } from '../../state/deviceState.ts';
import type { FaultStore } from '../../state/faults/faultStore.ts';
import type { RetainedPublisher } from '../broker/retainedPublisher.ts';

const instant = (atMs: number): string => new Date(atMs).toISOString();

/** The fields of a fault in every message. */
const factsOf = ({ code, kind, text }: Life) => ({ code, kind, text });

/** Publishes a device's faults: retained `faults` (with the text of `problems`), and `fault` per change. */
export const faultTopics = (
  base: string,
  faults: Pick<FaultStore, 'of'>,
  messageOf: (state: DeviceState) => string | undefined,
  publisher: RetainedPublisher,
) => {
  const payloadOf = (state: DeviceState): object => {
    const { active, last, tells, readAt, failed } = faults.of(state);
    return {
      active: active.map((life) => ({
        ...factsOf(life),
        since: instant(momentOf(life)),
        source: life.source,
        clock: life.clock,
      })),
      last: last && { ...factsOf(last), since: instant(momentOf(last)), until: last.until === undefined ? undefined : instant(last.until) },
      message: messageOf(state),
      ...(tells ? {} : { tells }),
      ...(readAt === undefined ? {} : { read_at: readAt === null ? null : instant(readAt), failed }),
    };
  };

  return {
    show: (state: DeviceState): void => {
      const topic = deviceTopic(base, state.device.name, 'faults');
      publisher.assign(`faults ${deviceKey(state.device)}`, [{ topic, payload: JSON.stringify(payloadOf(state)), retain: true }]);
    },
    /** A fault began or ended. On overflow, these messages are dropped before answers to writes. */
    tell: ({ name }: Device, what: 'began' | 'ended', life: Life): void => {
      const at = what === 'began' ? life.since : life.until;
      const payload = JSON.stringify({ event: what, ...factsOf(life), at: instant(at ?? momentOf(life)) });
      publisher.send({ topic: deviceTopic(base, name, 'fault'), payload, retain: false }, { isInterim: true });
    },
  };
};
