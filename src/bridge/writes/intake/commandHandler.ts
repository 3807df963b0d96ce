import { DAYS } from '../../../schedule/week.ts';
import type { Log } from '../../../shared/log.ts';
import type { SerialQueue } from '../../../shared/serialQueue.ts';
import { deviceKey } from '../../state/deviceState.ts';
import { FAULT } from '../answers/results.ts';
import type { RevertScheduler } from '../ends/revertScheduler.ts';
import type { ParsedWrite } from '../parse/resolveWrite.ts';
import { type CommandRequest, type CommandResult, type DeviceRequest, reject, reply } from '../request/commandRequest.ts';
import type { ResolvedTarget } from '../request/commandTarget.ts';
import { addressRefusal, invalid, type Refusal } from '../request/rejection.ts';
import type { Admission } from '../send/admission.ts';
import type { Coalescer } from '../send/coalescer.ts';
import type { CommandSender } from '../send/commandSender.ts';
import { type Member, mergeable } from '../send/mergeWrites.ts';
import type { CommandParser } from './commandParser.ts';

type Unanswered = { readonly request: CommandRequest; readonly write?: ParsedWrite };

export type CommandHandler = ReturnType<typeof commandHandler>;

/** Gives each command exactly one final answer (docs/errors.md). `queue` runs one at a time per device. */
export const commandHandler = (
  parser: CommandParser,
  admission: Admission,
  coalescer: Coalescer<Member>,
  sender: CommandSender,
  reverts: RevertScheduler,
  queue: SerialQueue,
  log: Log,
) => {
  /** An internal error ends only the commands that it occurs in. */
  const faulted = (commands: readonly Unanswered[], cause: unknown): void => {
    for (const { request, write } of commands) {
      log.error({ topic: request.source, why: String(cause) }, 'internal error while handling a write; please report it');
      reply(request, FAULT, write && 'content' in write ? write : undefined);
    }
  };

  const inTurn = async (request: DeviceRequest, work: (request: DeviceRequest) => Promise<void>): Promise<void> => {
    const end = await queue.turn(deviceKey(request.target.state.device));
    await work(request)
      .catch((cause) => faulted([{ request }], cause))
      .finally(end);
  };

  /** By turn that has not come: takes its writes. */
  const upcoming = new Set<() => readonly Member[]>();

  /** Carries out the writes that `take` returns when their turn comes, as one command. */
  const carryOut = async (device: string, take: () => readonly Member[]): Promise<void> => {
    upcoming.add(take);
    const end = await queue.turn(device);
    const members = upcoming.delete(take) ? take() : [];
    let open: readonly Unanswered[] = members;
    try {
      const sent = await admission.decide(members);
      open = sent?.shares ?? [];
      if (sent) await sender.send(sent);
    } catch (cause) {
      faulted(open, cause);
    } finally {
      end();
    }
  };

  /** Queues a write for its turn. */
  const enqueue = (request: DeviceRequest, write: ParsedWrite): void => {
    const device = deviceKey(request.target.state.device);
    const key = `${device} ${write.feature}`;
    const member = { request, write };
    if (!mergeable(write)) {
      if (!('dryRun' in write && write.dryRun)) coalescer.close(key);
      void carryOut(device, () => [member]);
      return;
    }
    const evaluated = admission.evaluate(member);
    // No newer record can change this refusal.
    if (evaluated?.kind === 'refused' && !evaluated.mayAge) {
      reject(request, evaluated.refusal, evaluated.about);
      return;
    }
    const isWhole = evaluated?.kind === 'decided' && evaluated.decision.written?.named.length === DAYS.length;
    void coalescer.join(key, member, isWhole, (take) => void carryOut(device, take));
  };

  const setUntil = async (request: DeviceRequest): Promise<void> => {
    const asked = parser.parseEnd(request);
    if (!asked.ok) {
      reject(request, invalid(asked.issues));
      return;
    }
    const revert = reverts.setUntil(request, asked.value);
    if (revert) enqueue(revert.request, revert.write);
  };

  /** Submits a command for an unread feature again after the first read. */
  const afterFirstRead = async (request: DeviceRequest): Promise<void> => {
    const { address, text } = request;
    // Another command may have read it meanwhile.
    if (parser.resolve(address).kind === 'unread' && !(await admission.readFirst(request))) return;
    const target = parser.resolve(address);
    if (target.kind !== 'unread') {
      submit({ ...request, target });
      return;
    }
    if (target.state.features.size === 0) {
      reply({ ...request, target }, NOTHING_SHOWN);
      return;
    }
    const refusal: Refusal = { code: 'unknown_feature', message: `the platform shows no feature ${target.feature} of this device` };
    reject({ ...request, target }, addressRefusal(text, refusal));
  };

  /** Takes a command and replies to its address. Never throws: any MQTT client could stop the bridge. */
  const submit = (request: CommandRequest<ResolvedTarget>): void => {
    const { target, text } = request;
    try {
      if (target.kind === 'unknown') reject(request, addressRefusal(text, target.refusal));
      else if (target.kind === 'unread') void inTurn({ ...request, target }, afterFirstRead);
      else if (target.kind === 'feature' && target.leaf === 'until') void inTurn({ ...request, target }, setUntil);
      else {
        const parsed = parser.parse({ ...request, target });
        if (parsed.ok) enqueue({ ...request, target }, parsed.write);
        else reject(request, parsed.refusal, parsed.about);
      }
    } catch (cause) {
      faulted([{ request }], cause);
    }
  };

  return {
    submit,
    enqueue,
    /**
     * At the stop: replies to every write whose turn has not come, with one disk sync. One for each write of a
     * flood would take longer than a stop may take.
     */
    stop: (): void => {
      coalescer.flush();
      const members = [...upcoming].flatMap((take) => take());
      upcoming.clear();
      admission.decide(members).catch((cause) => faulted(members, cause));
    },
    /** Releases open groups; resolves when every command has its final answer. */
    idle: async (): Promise<void> => {
      coalescer.flush();
      await queue.idle();
      await sender.idle();
    },
  };
};

/** A read that shows no feature of the device does not prove that this one is missing. */
const NOTHING_SHOWN: CommandResult = {
  status: 'failed',
  code: 'bad_answer',
  message: 'not sent: this device has not been read yet; send it again later',
};
