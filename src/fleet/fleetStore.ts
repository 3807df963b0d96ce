import { type JetStreamClient, type JetStreamManager, jetstream } from '@nats-io/jetstream';
import type { KV, KvEntry } from '@nats-io/kv';
import { headers, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { UsageError } from '../shared/errors.ts';
import { isRecord, jsonObject } from '../shared/json.ts';
import type { Log } from '../shared/log.ts';
import { keyOf, nameOf } from './keys.ts';
import { ACCOUNTS, GATEWAYS, LEASES, type Nats, natsFault, openNats, STATES, SUBJECT, stepDown } from './openNats.ts';
import { inStep, isNew, whereStuck } from './outOfStep.ts';
import type { Seal } from './seal.ts';

/** NATS takes messages of 1 MiB where it is not set otherwise. */
const PART_BYTES = 512 * 1024;
/** A row that shows with which key the others were written. No name gives this key. */
const KEY_CHECK = '=key';

/**
 * The row of an account. `entry`: as in `accounts.d`; `worker`: the one that a person has chosen; `removed`: a worker clears its topics, then
 * forgets it.
 */
export type FleetRow = {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly worker?: string | undefined;
  readonly removed?: true | undefined;
};

/** By gateway the account that has it; `claims`: how many were ever made. */
export type GatewayClaims = { readonly accounts: ReadonlyMap<string, string>; readonly claims: number };

/**
 * A piece of an account's state: all rows, what changed after them, or that the account was removed. `writer` names the lease and the piece;
 * `generation` grows with each owner, also where the state was restored from a backup.
 */
export type StatePiece = {
  readonly kind: 'all' | 'changes' | 'removed';
  readonly generation: number;
  readonly writer: string;
  readonly content: string;
};

/** The last message of an account's state; 0 where there is none. `isWhole`: it is the last part of its piece. */
export type StateEnd = { readonly last: number; readonly generation: number; readonly writer: string; readonly isWhole: boolean };

/** A value with the revision that the next one has to name. */
export type Held = { readonly value: Readonly<Record<string, unknown>>; readonly revision: number };

/** Accounts, leases and states on NATS JetStream, each on as many nodes as there are, at most three. */
export class FleetStore {
  readonly #connection: NatsConnection;
  readonly #seal: Seal;
  readonly #accounts: KV;
  readonly #gateways: KV;
  readonly #leases: KV;
  readonly #js: JetStreamClient;
  readonly #jsm: JetStreamManager;
  /** Frees all leases: for a leader that stores them and does not find them. */
  readonly emptyLeases = async (): Promise<void> => void (await this.#jsm.streams.purge(`KV_${LEASES}`));
  readonly #leaseLed: ReturnType<typeof whereStuck>;
  readonly #statesLed: ReturnType<typeof whereStuck>;

  private constructor({ connection, jsm, accounts, gateways, leases }: Nats, seal: Seal, log: Log) {
    this.#connection = connection;
    this.#seal = seal;
    this.#accounts = accounts;
    this.#gateways = gateways;
    this.#leases = leases;
    this.#js = jetstream(connection, { timeout: 3000 });
    this.#jsm = jsm;
    const led = (stream: string) => whereStuck(() => stepDown(connection, stream, log));
    this.#leaseLed = led(`KV_${LEASES}`);
    this.#statesLed = led(STATES);
  }

  /** `urls`: addresses of nodes, with comma. Throws a UsageError where none is one, none answers in time, or the fleet has another key. */
  static async open(urls: string, seal: Seal, log: Log): Promise<FleetStore> {
    const nats = await openNats(urls, log);
    try {
      const store = new FleetStore(nats, seal, log);
      await store.#checkKey();
      return store;
    } catch (cause) {
      void nats.connection.close();
      throw cause instanceof UsageError ? cause : natsFault(cause);
    }
  }

  async close(): Promise<void> {
    await this.#connection.close();
  }

  /** False where there is one with this name. */
  async addRow(row: FleetRow): Promise<boolean> {
    const key = keyOf(row.name);
    return isNew(this.#accounts.create(key, this.#seal.seal(JSON.stringify(row), key)));
  }

  /** Undefined where there is none; its `row` is undefined where it cannot be read. */
  async row(name: string): Promise<{ readonly row: FleetRow | undefined; readonly revision: number } | undefined> {
    const entry = await this.#accounts.get(keyOf(name));
    return entry?.operation === 'PUT' ? { row: this.#rowIn(entry), revision: entry.revision } : undefined;
  }

  /** Writes a row over this revision. Throws OutOfStep where another one is there. */
  async putRow(row: FleetRow, revision: number): Promise<void> {
    const key = keyOf(row.name);
    await inStep(() => this.#accounts.update(key, this.#seal.seal(JSON.stringify(row), key), revision));
  }

  /** Forgets a removed account: its state first, then its row. One that is added again begins anew. */
  async forget(name: string): Promise<void> {
    const { last, generation } = await this.lastState(name);
    const seq = await this.append(name, { kind: 'removed', generation: generation + 1, writer: 'removed', content: '' }, last);
    await this.forgetBefore(name, seq);
    const held = await this.row(name);
    if (held) await this.#jsm.streams.deleteMessage(`KV_${ACCOUNTS}`, held.revision);
  }

  /** Another text after each change of a row, also where NATS was restored from a backup and its numbers have gone back. */
  async rowsVersion(): Promise<string> {
    const { state } = await this.#jsm.streams.info(`KV_${ACCOUNTS}`);
    return `${state.last_seq} ${state.messages} ${state.last_ts}`;
  }

  /** The rows in the order of their names; `broken`: the names of those that cannot be read, as where one was damaged. */
  async rows(): Promise<{ readonly rows: readonly FleetRow[]; readonly broken: readonly string[] }> {
    const keys = (await this.#state(ACCOUNTS)).keys.filter((key) => key !== KEY_CHECK);
    const entries = await Promise.all(keys.map((key) => this.#accounts.get(key)));
    const there = entries.flatMap((entry) => (entry?.operation === 'PUT' ? [{ key: entry.key, row: this.#rowIn(entry) }] : []));
    const rows = there.flatMap(({ row }) => row ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { rows, broken: there.flatMap(({ key, row }) => (row ? [] : nameOf(key))).toSorted() };
  }

  /** Which account has which gateway. What was read `before` is read again only where one of them may have been given to another account. */
  async gateways({ accounts: known, claims: before }: GatewayClaims = { accounts: new Map(), claims: 0 }): Promise<GatewayClaims> {
    const { keys, lastSeq: claims } = await this.#state(GATEWAYS);
    const isNew = (key: string): boolean => !known.has(nameOf(key));
    // Each claim is a message more: one that is not of a new gateway is of one that was known, and was given up.
    const isSame = claims - before === keys.filter(isNew).length;
    const read = async (key: string): Promise<[string, string]> => {
      const gateway = nameOf(key);
      return [gateway, (isSame ? known.get(gateway) : undefined) ?? (await this.#gateways.get(key))?.string() ?? ''];
    };
    return { claims, accounts: new Map(await Promise.all(keys.map(read))) };
  }

  /** Gives the gateway to an account where none has it. */
  async claimGateway(gateway: string, account: string): Promise<void> {
    await isNew(this.#gateways.create(keyOf(gateway), account));
  }

  /** Where this account has it: another one may have it by now. */
  async releaseGateway(gateway: string, account: string): Promise<void> {
    const entry = await this.#gateways.get(keyOf(gateway));
    if (entry?.string() === account) await this.#jsm.streams.deleteMessage(`KV_${GATEWAYS}`, entry.revision);
  }

  /** The keys of all leases that somebody has now. */
  async leaseKeys(): Promise<readonly string[]> {
    return (await this.#state(LEASES)).keys;
  }

  /** All leases by key. */
  async leases(): Promise<ReadonlyMap<string, Held['value']>> {
    const all = await Promise.all((await this.leaseKeys()).map(async (key) => [key, (await this.lease(key))?.value] as const));
    return new Map(all.flatMap(([key, value]) => (value ? [[key, value]] : [])));
  }

  /** By the subjects of the bucket: a list by a consumer has been seen to wait without end at a cluster that just started (NATS 2.9). */
  async #state(bucket: string): Promise<{ readonly keys: readonly string[]; readonly lastSeq: number }> {
    const prefix = `$KV.${bucket}.`;
    const { state } = await this.#jsm.streams.info(`KV_${bucket}`, { subjects_filter: `${prefix}>` });
    return { keys: Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length)), lastSeq: state.last_seq };
  }

  async lease(key: string): Promise<Held | undefined> {
    const entry = await this.#leases.get(key);
    const value = entry?.operation === 'PUT' ? jsonObject(entry.string()) : undefined;
    return entry && value ? { value, revision: entry.revision } : undefined;
  }

  /** Writes a lease over this revision; with 0 where nobody has it. Gives the next revision. Throws OutOfStep, or where NATS does not answer. */
  async putLease(key: string, value: object, revision: number): Promise<number> {
    const text = JSON.stringify(value);
    const put = async () => (revision === 0 ? this.#leases.create(key, text) : this.#leases.update(key, text, revision, 3000));
    return inStep(() => this.#leaseLed(put));
  }

  async deleteLease(key: string, revision: number): Promise<void> {
    // A marker in its place would look like a lease.
    const held = await this.lease(key);
    if (held?.revision === revision) await this.#jsm.streams.deleteMessage(`KV_${LEASES}`, revision);
  }

  /** Appends a piece behind the message with this sequence number; gives its own. Throws OutOfStep, or where NATS does not answer. */
  async append(name: string, { kind, generation, writer, content }: StatePiece, last: number): Promise<number> {
    const subject = subjectOf(name);
    const bytes = this.#seal.seal(content, subject);
    const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
    let lastSubjectSequence = last;
    for (let part = 0; part < parts; part += 1) {
      const about = headers();
      for (const [key, value] of Object.entries({ kind, generation, writer, part: `${part + 1}/${parts}` })) about.set(key, String(value));
      const data = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
      const { seq } = await inStep(() =>
        this.#statesLed(() => this.#js.publish(subject, data, { headers: about, expect: { lastSubjectSequence } })),
      );
      lastSubjectSequence = seq;
    }
    return lastSubjectSequence;
  }

  /**
   * The state from its last piece with all rows on, to the last message that a worker has written. `behind`: the number of the last message
   * of all, also of one that no worker has written. Throws where NATS does not answer, or the key is another one.
   */
  async readState(name: string): Promise<StateEnd & { readonly pieces: readonly StatePiece[]; readonly behind: number }> {
    const subject = subjectOf(name);
    let pieces: StatePiece[] = [];
    let parts: Uint8Array[] = [];
    let end: StateEnd = NO_STATE;
    for (let behind = 0; ; ) {
      const request = { seq: behind + 1, next_by_subj: subject };
      const message = await this.#jsm.streams.getMessage(STATES, request);
      if (!message) return { ...end, pieces, behind };
      behind = message.seq;
      const found = endIn(message);
      if (found.writer === '') continue;
      end = found;
      const [part, of] = message.header.get('part').split('/');
      if (part === '1') parts = [];
      parts.push(message.data);
      // A writer that ended between two parts has not counted on them.
      if (part !== of || parts.length !== Number(of)) continue;
      const kind = message.header.get('kind') as StatePiece['kind'];
      const { generation, writer } = end;
      const content = this.#opened(Buffer.concat(parts), subject);
      if (content === undefined) throw otherKey('the state of this account was');
      if (kind !== 'changes') pieces = [];
      pieces.push({ kind, generation, writer, content });
    }
  }

  async lastState(name: string): Promise<StateEnd> {
    const message = await this.#jsm.streams.getMessage(STATES, { last_by_subj: subjectOf(name) });
    return message ? endIn(message) : NO_STATE;
  }

  /**
   * Deletes what lies before the message with this number, one by one: where all nodes are killed, NATS repeats a purge up to a number at its
   * start as one up to the newest message of that time (2.9), and the state would be gone.
   */
  async forgetBefore(name: string, seq: number): Promise<void> {
    for (let from = 1; ; ) {
      const request = { seq: from, next_by_subj: subjectOf(name) };
      const message = await this.#jsm.streams.getMessage(STATES, request);
      if (!message || message.seq >= seq) return;
      await this.#jsm.streams.deleteMessage(STATES, message.seq, false);
      from = message.seq + 1;
    }
  }

  /** Throws a UsageError where the fleet has another key: what would be written could not be read by the other workers. */
  async #checkKey(): Promise<void> {
    // Where it was lost, the rows tell whether this is the key.
    const isKnown = (await this.#accounts.get(KEY_CHECK)) ?? (await this.rows()).broken.length > 0;
    if (!isKnown) await isNew(this.#accounts.create(KEY_CHECK, this.#seal.seal('{}', KEY_CHECK)));
    const entry = await this.#accounts.get(KEY_CHECK);
    if (!entry || this.#opened(entry.value, KEY_CHECK) === undefined) throw otherKey('the accounts of the fleet were');
  }

  /** Undefined where the bytes are damaged, or were written with another key. */
  #opened(bytes: Uint8Array, subject: string): string | undefined {
    try {
      return this.#seal.open(bytes, subject);
    } catch {
      return undefined;
    }
  }

  #rowIn(entry: KvEntry): FleetRow | undefined {
    const { name, entry: of, worker, removed } = jsonObject(this.#opened(entry.value, entry.key) ?? '') ?? {};
    if (typeof name !== 'string' || !isRecord(of)) return undefined;
    return { name, entry: of, ...(typeof worker === 'string' ? { worker } : {}), ...(removed === true ? { removed } : {}) };
  }
}

const otherKey = (what: string): UsageError =>
  new UsageError('usage', `${what} written with another key: all workers and commands need the same one (--key-file)`);

const subjectOf = (name: string): string => `${SUBJECT}.${keyOf(name)}`;

const NO_STATE: StateEnd = { last: 0, generation: 0, writer: '', isWhole: true };

const endIn = ({ seq, header }: { readonly seq: number; readonly header: MsgHdrs }): StateEnd => {
  const [part, of] = header.get('part').split('/');
  return { last: seq, generation: Number(header.get('generation')), writer: header.get('writer'), isWhole: part === of };
};
