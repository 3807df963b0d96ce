import type { Log } from '../../shared/log.ts';
import type { SerialQueue } from '../../shared/serialQueue.ts';
import type { CommandParser } from '../commands/commandParser.ts';
import { type CommandRequest, type CommandResult, type DeviceRequest, reject, reply } from '../commands/commandRequest.ts';
import type { CompositeTarget, FeatureTarget, ResolvedTarget } from '../commands/commandTarget.ts';
import { addressRefusal, invalid, type Refusal } from '../commands/rejection.ts';
import type { ParsedWrite } from '../commands/resolveWrite.ts';
import { deviceKey } from '../devices/deviceState.ts';
import type { RevertScheduler } from '../overrides/revertScheduler.ts';
import type { Admission } from './admission.ts';
import type { Coalescer } from './coalescer.ts';
import type { CommandSender } from './commandSender.ts';
import { type Member, mergeable } from './mergeWrites.ts';

type Queued = { readonly request: DeviceRequest; readonly write?: ParsedWrite };

/** Takes commands from any source and gives each exactly one terminal result (docs/errors.md). */
export class CommandHandler {
  readonly #parser: CommandParser;
  readonly #admission: Admission;
  readonly #coalescer: Coalescer<Member>;
  readonly #sender: CommandSender;
  readonly #reverts: RevertScheduler;
  /** One command at a time for each device. */
  readonly #queue: SerialQueue;
  readonly #log: Log;

  constructor(
    parser: CommandParser,
    admission: Admission,
    coalescer: Coalescer<Member>,
    sender: CommandSender,
    reverts: RevertScheduler,
    queue: SerialQueue,
    log: Log,
  ) {
    this.#parser = parser;
    this.#admission = admission;
    this.#coalescer = coalescer;
    this.#sender = sender;
    this.#reverts = reverts;
    this.#queue = queue;
    this.#log = log;
  }

  /** Takes a command; its results go to its reply address. */
  submit(request: CommandRequest<ResolvedTarget>): void {
    const { target, text } = request;
    switch (target.kind) {
      case 'unknown':
        reject(request, addressRefusal(text, target.refusal));
        return;
      case 'unread':
        this.#inTurn({ ...request, target }, (one) => this.#afterFirstRead(one));
        return;
      case 'feature':
        if (target.leaf === 'until') this.#inTurn({ ...request, target }, async (one) => this.#setUntil(one));
        else this.#parse({ ...request, target });
        return;
      case 'composite':
        this.#parse({ ...request, target });
        return;
      default:
        target satisfies never;
    }
  }

  /** Queues a write for its turn. */
  enqueue(request: DeviceRequest, write: ParsedWrite): void {
    const device = deviceKey(request.target.state.device);
    const key = `${device} ${write.feature}`;
    const member = { request, write };
    if (!mergeable(write)) {
      if (!('dryRun' in write && write.dryRun)) this.#coalescer.close(key);
      this.#carryOut(device, () => [member]);
      return;
    }
    const screened = this.#admission.screen(member);
    if (screened !== 'refused') this.#coalescer.join(key, member, screened === 'whole', (take) => this.#carryOut(device, take));
  }

  /** Resolves when every command has its terminal result; groups that are open are closed. */
  async idle(): Promise<void> {
    this.#coalescer.flush();
    await this.#queue.idle();
    await this.#sender.idle();
  }

  #parse(request: CommandRequest<FeatureTarget | CompositeTarget>): void {
    const parsed = this.#parser.parse(request);
    if (parsed.ok) this.enqueue(request, parsed.write);
    else reject(request, parsed.refusal, parsed.about);
  }

  #setUntil(request: DeviceRequest): void {
    const asked = this.#parser.parseEnd(request);
    if (!asked.ok) {
      reject(request, invalid(asked.issues));
      return;
    }
    const revert = this.#reverts.setUntil(request, asked.value);
    if (revert) this.enqueue(revert.request, revert.write);
  }

  /** A command for a feature that was not read yet begins anew after the first read. */
  async #afterFirstRead(request: DeviceRequest): Promise<void> {
    const { address, text } = request;
    // Another command may have read it meanwhile.
    if (this.#parser.resolve(address).kind === 'unread' && !(await this.#admission.readFirst(request))) return;
    const target = this.#parser.resolve(address);
    if (target.kind !== 'unread') {
      this.submit({ ...request, target });
      return;
    }
    const refusal: Refusal = { code: 'unknown_feature', message: `the platform shows no feature ${target.feature} of this device` };
    reject({ ...request, target }, addressRefusal(text, refusal));
  }

  /** The writes that `take` gives when the turn comes go together. */
  #carryOut(device: string, take: () => readonly Member[]): void {
    void this.#queue.add(device, async () => {
      const members = take();
      const sent = await this.#guarded(members, () => this.#admission.decide(members));
      if (sent) await this.#guarded(sent.shares, () => this.#sender.send(sent));
    });
  }

  #inTurn(request: DeviceRequest, work: (request: DeviceRequest) => Promise<void>): void {
    void this.#queue.add(deviceKey(request.target.state.device), () => this.#guarded([{ request }], () => work(request)));
  }

  /** A fault of the bridge ends only the commands in which it happens. */
  async #guarded<T>(queued: readonly Queued[], work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (cause) {
      for (const { request, write } of queued) {
        this.#log.error({ topic: request.source, why: String(cause) }, 'a write ended by a fault of the bridge');
        reply(request, FAULT, write && 'content' in write ? write : undefined);
      }
      return undefined;
    }
  }
}

const FAULT: CommandResult = {
  status: 'failed',
  code: 'internal',
  message: 'the bridge made a mistake with this message; please report it',
};
