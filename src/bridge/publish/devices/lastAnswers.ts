import * as z from 'zod/mini';
import type { Answer } from '../../../topics/resultPayload.ts';
import { type ShownAnswer, shownAnswer } from '../../../topics/scheduleOverview.ts';
import type { KeyedStore } from '../../ports.ts';

/** People who save at the same moment each find their answer. */
const KEPT = 4;
/** The answers are in a retained topic: a longer id, which no client needs, is left out there. */
const LONGEST_ID = 200;

/** As it comes from disk: what an earlier run has shown. */
const ANSWERS = z.object({ answers: z.array(z.looseObject({})) });

/** The last answers of each feature, newest first, kept over restarts; a later answer to the same write takes the place of the one before. */
export class LastAnswers {
  readonly #store: KeyedStore;
  readonly #answers = new Map<string, readonly ShownAnswer[]>();

  constructor(store: KeyedStore) {
    this.#store = store;
    for (const [key, value] of store.read()) {
      const kept = ANSWERS.safeParse(value);
      if (kept.success) this.#answers.set(key, kept.data.answers);
    }
  }

  /** A check is no write: its answers are left out. */
  note({ device, feature, ...answer }: Answer): void {
    if (answer.topic.endsWith('/validate')) return;
    const key = `${device} ${feature}`;
    const id = typeof answer.id === 'string' && answer.id.length > LONGEST_ID ? undefined : answer.id;
    const others = this.of(device ?? '', feature ?? '').filter((other) => other['id'] !== id);
    const answers = [shownAnswer({ ...answer, id }), ...others].slice(0, KEPT);
    this.#answers.set(key, answers);
    this.#store.write(key, { answers });
  }

  /** `device`: its name in topics. */
  of(device: string, feature: string): readonly ShownAnswer[] {
    return this.#answers.get(`${device} ${feature}`) ?? [];
  }
}
