import { jetstream } from '@nats-io/jetstream';
import type { KvEntry } from '@nats-io/kv';
import { headers, type MsgHdrs } from '@nats-io/transport-node';
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
const fleetStoreOn = ({ connection, jsm, accounts, gateways: claimed, leases: leased }: Nats, seal: Seal, log: Log) => {
  const js = jetstream(connection, { timeout: 3000 });
  const led = (stream: string) => whereStuck(() => stepDown(connection, stream, log));
  const leaseLed = led(`KV_${LEASES}`);
  const statesLed = led(STATES);
  /** By gateway the account that had it at this version. */
  let claims: { readonly version: string; readonly accounts: ReadonlyMap<string, string> } = { version: '', accounts: new Map() };

  /** Frees all leases: for a leader that stores them and does not find them. */
  const emptyLeases = async (): Promise<void> => void (await jsm.streams.purge(`KV_${LEASES}`));

  const close = async (): Promise<void> => {
    await connection.close();
  };

  /** False where there is one with this name. */
  const addRow = async (row: FleetRow): Promise<boolean> => {
    const key = keyOf(row.name);
    return isNew(accounts.create(key, seal.seal(JSON.stringify(row), key)));
  };

  /** Undefined where there is none; its `row` is undefined where it cannot be read. */
  const row = async (name: string): Promise<{ readonly row: FleetRow | undefined; readonly revision: number } | undefined> => {
    const entry = await accounts.get(keyOf(name));
    return entry?.operation === 'PUT' ? { row: rowIn(entry), revision: entry.revision } : undefined;
  };

  /** Writes a row over this revision. Throws OutOfStep where another one is there. */
  const putRow = async (row: FleetRow, revision: number): Promise<void> => {
    const key = keyOf(row.name);
    await inStep(() => accounts.update(key, seal.seal(JSON.stringify(row), key), revision));
  };

  /** Forgets a removed account: its state first, then its row. One that is added again begins anew. */
  const forget = async (name: string): Promise<void> => {
    const { last, generation } = await lastState(name);
    const seq = await append(name, { kind: 'removed', generation: generation + 1, writer: 'removed', content: '' }, last);
    await forgetBefore(name, seq);
    const held = await row(name);
    if (held) await jsm.streams.deleteMessage(`KV_${ACCOUNTS}`, held.revision);
  };

  /** Another text after each change in a bucket, also where NATS was restored from a backup and its numbers have gone back. */
  const versionOf = async (bucket: string): Promise<string> => {
    const { state } = await jsm.streams.info(`KV_${bucket}`);
    return `${state.last_seq} ${state.messages} ${state.last_ts}`;
  };

  const rowsVersion = (): Promise<string> => versionOf(ACCOUNTS);

  /** The rows in the order of their names; `broken`: the names of those that cannot be read, as where one was damaged. */
  const rows = async (): Promise<{ readonly rows: readonly FleetRow[]; readonly broken: readonly string[] }> => {
    const keys = (await keysIn(ACCOUNTS)).filter((key) => key !== KEY_CHECK);
    const entries = await Promise.all(keys.map((key) => accounts.get(key)));
    const there = entries.flatMap((entry) => (entry?.operation === 'PUT' ? [{ key: entry.key, row: rowIn(entry) }] : []));
    const rows = there.flatMap(({ row }) => row ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { rows, broken: there.flatMap(({ key, row }) => (row ? [] : nameOf(key))).toSorted() };
  };

  /** By gateway the account that has it. */
  const gateways = async (): Promise<ReadonlyMap<string, string>> => {
    const version = await versionOf(GATEWAYS);
    if (version === claims.version) return claims.accounts;
    const keys = await keysIn(GATEWAYS);
    const read = async (key: string): Promise<[string, string]> => [nameOf(key), (await claimed.get(key))?.string() ?? ''];
    claims = { version, accounts: new Map(await Promise.all(keys.map(read))) };
    return claims.accounts;
  };

  /** Gives the gateway to an account where none has it. */
  const claimGateway = async (gateway: string, account: string): Promise<void> => {
    await isNew(claimed.create(keyOf(gateway), account));
  };

  /** Where this account has it: another one may have it by now. */
  const releaseGateway = async (gateway: string, account: string): Promise<void> => {
    const entry = await claimed.get(keyOf(gateway));
    if (entry?.string() === account) await jsm.streams.deleteMessage(`KV_${GATEWAYS}`, entry.revision);
  };

  /** The keys of all leases that somebody has now. */
  const leaseKeys = (): Promise<readonly string[]> => keysIn(LEASES);

  /** All leases by key. */
  const leases = async (): Promise<ReadonlyMap<string, Held['value']>> => {
    const all = await Promise.all((await leaseKeys()).map(async (key) => [key, (await lease(key))?.value] as const));
    return new Map(all.flatMap(([key, value]) => (value ? [[key, value]] : [])));
  };

  /** By the subjects of the bucket: a list by a consumer has been seen to wait without end at a cluster that just started (NATS 2.9). */
  const keysIn = async (bucket: string): Promise<readonly string[]> => {
    const prefix = `$KV.${bucket}.`;
    const { state } = await jsm.streams.info(`KV_${bucket}`, { subjects_filter: `${prefix}>` });
    return Object.keys(state.subjects ?? {}).map((subject) => subject.slice(prefix.length));
  };

  const lease = async (key: string): Promise<Held | undefined> => {
    const entry = await leased.get(key);
    const value = entry?.operation === 'PUT' ? jsonObject(entry.string()) : undefined;
    return entry && value ? { value, revision: entry.revision } : undefined;
  };

  /** Writes a lease over this revision; with 0 where nobody has it. Gives the next revision. Throws OutOfStep, or where NATS does not answer. */
  const putLease = async (key: string, value: object, revision: number): Promise<number> => {
    const text = JSON.stringify(value);
    const put = async () => (revision === 0 ? leased.create(key, text) : leased.update(key, text, revision, 3000));
    return inStep(() => leaseLed(put));
  };

  const deleteLease = async (key: string, revision: number): Promise<void> => {
    // A marker in its place would look like a lease.
    const held = await lease(key);
    if (held?.revision === revision) await jsm.streams.deleteMessage(`KV_${LEASES}`, revision);
  };

  /** Appends a piece behind the message with this sequence number; gives its own. Throws OutOfStep, or where NATS does not answer. */
  const append = async (name: string, { kind, generation, writer, content }: StatePiece, last: number): Promise<number> => {
    const subject = subjectOf(name);
    const bytes = seal.seal(content, subject);
    const parts = Math.max(1, Math.ceil(bytes.length / PART_BYTES));
    let lastSubjectSequence = last;
    for (let part = 0; part < parts; part += 1) {
      const about = headers();
      for (const [key, value] of Object.entries({ kind, generation, writer, part: `${part + 1}/${parts}` })) about.set(key, String(value));
      const data = bytes.subarray(part * PART_BYTES, (part + 1) * PART_BYTES);
      const { seq } = await inStep(() => statesLed(() => js.publish(subject, data, { headers: about, expect: { lastSubjectSequence } })));
      lastSubjectSequence = seq;
    }
    return lastSubjectSequence;
  };

  /**
   * The state from its last piece with all rows on, to the last message that a worker has written. `behind`: the number of the last message
   * of all, also of one that no worker has written. Throws where NATS does not answer, or the key is another one.
   */
  const readState = async (name: string): Promise<StateEnd & { readonly pieces: readonly StatePiece[]; readonly behind: number }> => {
    const subject = subjectOf(name);
    let pieces: StatePiece[] = [];
    let parts: Uint8Array[] = [];
    let end: StateEnd = NO_STATE;
    for (let behind = 0; ; ) {
      const request = { seq: behind + 1, next_by_subj: subject };
      const message = await jsm.streams.getMessage(STATES, request);
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
      const content = opened(Buffer.concat(parts), subject);
      if (content === undefined) throw otherKey('the state of this account was');
      if (kind !== 'changes') pieces = [];
      pieces.push({ kind, generation, writer, content });
    }
  };

  const lastState = async (name: string): Promise<StateEnd> => {
    const message = await jsm.streams.getMessage(STATES, { last_by_subj: subjectOf(name) });
    return message ? endIn(message) : NO_STATE;
  };

  /**
   * Deletes what lies before the message with this number, one by one: where all nodes are killed, NATS repeats a purge up to a number at its
   * start as one up to the newest message of that time (2.9), and the state would be gone.
   */
  const forgetBefore = async (name: string, seq: number): Promise<void> => {
    for (let from = 1; ; ) {
      const request = { seq: from, next_by_subj: subjectOf(name) };
      const message = await jsm.streams.getMessage(STATES, request);
      if (!message || message.seq >= seq) return;
      await jsm.streams.deleteMessage(STATES, message.seq, false);
      from = message.seq + 1;
    }
  };

  /** Throws a UsageError where the fleet has another key: what would be written could not be read by the other workers. */
  const checkKey = async (): Promise<void> => {
    // Where it was lost, the rows tell whether this is the key.
    const isKnown = (await accounts.get(KEY_CHECK)) ?? (await rows()).broken.length > 0;
    if (!isKnown) await isNew(accounts.create(KEY_CHECK, seal.seal('{}', KEY_CHECK)));
    const entry = await accounts.get(KEY_CHECK);
    if (!entry || opened(entry.value, KEY_CHECK) === undefined) throw otherKey('the accounts of the fleet were');
  };

  /** Undefined where the bytes are damaged, or were written with another key. */
  const opened = (bytes: Uint8Array, subject: string): string | undefined => {
    try {
      return seal.open(bytes, subject);
    } catch {
      return undefined;
    }
  };

  const rowIn = (entry: KvEntry): FleetRow | undefined => {
    const { name, entry: of, worker, removed } = jsonObject(opened(entry.value, entry.key) ?? '') ?? {};
    if (typeof name !== 'string' || !isRecord(of)) return undefined;
    return { name, entry: of, ...(typeof worker === 'string' ? { worker } : {}), ...(removed === true ? { removed } : {}) };
  };

  return {
    ...{ close, checkKey, addRow, row, putRow, forget, rowsVersion, rows, gateways, claimGateway, releaseGateway },
    ...{ leaseKeys, leases, lease, putLease, deleteLease, emptyLeases, append, readState, lastState, forgetBefore },
  };
};

export type FleetStore = Omit<ReturnType<typeof fleetStoreOn>, 'checkKey'>;

/** `urls`: addresses of nodes, with comma. Throws a UsageError where none is one, none answers in time, or the fleet has another key. */
export const openFleetStore = async (urls: string, seal: Seal, log: Log): Promise<FleetStore> => {
  const nats = await openNats(urls, log);
  try {
    const { checkKey, ...store } = fleetStoreOn(nats, seal, log);
    await checkKey();
    return store;
  } catch (cause) {
    void nats.connection.close();
    throw cause instanceof UsageError ? cause : natsFault(cause);
  }
};

const otherKey = (what: string): UsageError =>
  new UsageError('usage', `${what} written with another key: all workers and commands need the same one (--key-file)`);

const subjectOf = (name: string): string => `${SUBJECT}.${keyOf(name)}`;

const NO_STATE: StateEnd = { last: 0, generation: 0, writer: '', isWhole: true };

const endIn = ({ seq, header }: { readonly seq: number; readonly header: MsgHdrs }): StateEnd => {
  const [part, of] = header.get('part').split('/');
  return { last: seq, generation: Number(header.get('generation')), writer: header.get('writer'), isWhole: part === of };
};
