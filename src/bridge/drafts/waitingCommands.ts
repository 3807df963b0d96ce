import * as z from 'zod/mini';
import type { CommandRequest, CommandResult, ReplyAddress } from '../commands/commandRequest.ts';
import { AUTHOR, ID } from '../execution/journalRecovery.ts';
import type { ResultPublisher } from '../execution/resultPublisher.ts';
import type { KeyedStore } from '../ports.ts';

/** A command that waited for its turn, a read or a call when the bridge ended. */
const WAITING = z.object({
  topic: z.string(),
  id: z.optional(ID),
  device: z.string(),
  feature: z.string(),
  by: z.optional(AUTHOR),
});

const INTERRUPTED: CommandResult = {
  status: 'failed',
  code: 'interrupted',
  message: 'not sent: the bridge ended while this waited for its turn; send it again if it is still wanted',
};

/**
 * Commands that were taken and are not in the journal yet. The broker has its acknowledgement, so nobody sends them again: what still waits
 * in the next turn of the loop, before the acknowledgement leaves, is on disk until it has its answer, and answered by the next run.
 */
export class WaitingCommands {
  readonly #store: KeyedStore;
  readonly #results: Pick<ResultPublisher, 'publish'>;
  readonly #left: readonly (readonly [key: string, value: unknown])[];
  #last: number;

  constructor(store: KeyedStore, results: Pick<ResultPublisher, 'publish'>) {
    this.#store = store;
    this.#results = results;
    this.#left = [...store.read()];
    this.#last = Math.max(0, ...this.#left.map(([key]) => Number(key) || 0));
  }

  /** Answers what an earlier run had taken and not sent. */
  answerLeft(): void {
    for (const [key, value] of this.#left) {
      const { topic, by, ...about } = WAITING.safeParse(value).data ?? {};
      const ended = (): void => void this.#store.write(key, undefined);
      if (topic === undefined) ended();
      else this.#results.publish({ topic, by }, { ...about, ...INTERRUPTED }, true, ended);
    }
  }

  /** The reply address of the command, which knows from now on whether it still waits. */
  follow<T extends CommandRequest>(request: T): T {
    const { replyTo, source: topic, id, by, target } = request;
    const { device, feature } = target;
    if (device === undefined || feature === undefined) return request;
    let key: string | undefined;
    let isOpen = true;
    const end = (): void => {
      isOpen = false;
      if (key !== undefined) this.#store.write(key, undefined);
      key = undefined;
    };
    setImmediate(() => {
      if (!isOpen) return;
      this.#last += 1;
      key = String(this.#last);
      this.#store.write(key, { topic, id, device, feature, by });
    });
    const following: ReplyAddress = {
      deliver: (to, result, onDelivered) => {
        // What is accepted is in the journal, what waits for other values in a table of its own, and an answer at once is on its way.
        if (key === undefined || result.status === 'accepted' || result.status === 'waiting') end();
        replyTo.deliver(to, result, () => {
          end();
          onDelivered?.();
        });
      },
      journaled: end,
    };
    return { ...request, replyTo: following };
  }
}
