import type { Answer } from '../../../topics/resultPayload.ts';
import type { ShownAnswer } from '../../../topics/scheduleOverview.ts';

/** People who save at the same moment each find their answer. */
const KEPT = 4;
/** The answers are in a retained topic: a longer id, which no client needs, is left out there. */
const LONGEST_ID = 200;

/** The last answers of each feature, newest first; a later answer to the same write takes the place of the one before. */
export class LastAnswers {
  readonly #answers = new Map<string, readonly ShownAnswer[]>();

  /** A check is no write: its answers are left out. */
  note({ device, feature, ...answer }: Answer): void {
    if (answer.topic.endsWith('/validate')) return;
    const key = `${device} ${feature}`;
    const id = typeof answer.id === 'string' && answer.id.length > LONGEST_ID ? undefined : answer.id;
    const others = (this.#answers.get(key) ?? []).filter((other) => other.id !== id);
    this.#answers.set(key, [{ ...answer, id }, ...others].slice(0, KEPT));
  }

  /** `device`: its name in topics. */
  of(device: string, feature: string): readonly ShownAnswer[] {
    return this.#answers.get(`${device} ${feature}`) ?? [];
  }
}
