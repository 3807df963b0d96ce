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

/** The default message limit of NATS is 1 MiB. */
const PART_BYTES = 512 * 1024;
/** The row that verifies the encryption key of the fleet. No account name maps to this key. */
const KEY_CHECK = '=key';

/**
 * The row of an account. `entry`: as in `accounts.d`; `worker`: chosen by a person; `removed`: a worker
 * clears the topics of the account, then forgets it.
 */
export type FleetRow = {
  readonly name: string;
  readonly entry: Readonly<Record<string, unknown>>;
  readonly worker?: string | undefined;
  readonly removed?: true | undefined;
};

/**
 * A piece of an account's state: all rows, later changes, or the removal of the account. `writer` names the
 * lease and the piece. `generation` grows with each owner, even after a restore from a backup.
 */
export type StatePiece = {
  readonly kind: 'all' | 'changes' | 'removed';
  readonly generation: number;
  readonly writer: string;
  readonly content: string;
};

/** The last message of an account's state (0: none). `isWhole`: it is the last part of its piece. */
export type StateEnd = { readonly last: number; readonly generation: number; readonly writer: string; readonly isWhole: boolean };

/** A value and the revision that the next write must name. */
export type Held = { readonly value: Readonly<Record<string, unknown>>; readonly revision: number };

/** Accounts, leases and states on NATS JetStream, with up to three replicas each. */
const fleetStoreOn = ({ connection, jsm, accounts, gateways: claimed, leases: leased }: Nats, seal: Seal, log: Log) => {
  const js = jetstream(connection, { timeout: 3000 });
  const led = (stream: string) => whereStuck(() => stepDown(connection, stream, log));
  const leaseLed = led(`KV_${LEASES}`);
  const statesLed = led(STATES);
  /** The account of each gateway at this version. */
  let claims: { readonly version: string; readonly accounts: ReadonlyMap<string, string> } = { version: '', accounts: new Map() };

  /** Deletes all leases, for a stream leader that stores leases but cannot find them. */
  const emptyLeases = async (): Promise<void> => void (await jsm.streams.purge(`KV_${LEASES}`));

  const close = async (): Promise<void> => {
    await connection.close();
  };

  /** Returns false if the name exists. */
  const addRow = async (row: FleetRow): Promise<boolean> => {
    const key = keyOf(row.name);
    return isNew(accounts.create(key, seal.seal(JSON.stringify(row), key)));
  };

  /** Undefined if missing. Its `row` is undefined if it cannot be read. */
  const row = async (name: string): Promise<{ readonly row: FleetRow | undefined; readonly revision: number } | undefined> => {
    const entry = await accounts.get(keyOf(name));
    return entry?.operation === 'PUT' ? { row: rowIn(entry), revision: entry.revision } : undefined;
  };

  /** Updates a row at this revision. Throws OutOfStep if the row has another revision. */
  const putRow = async (row: FleetRow, revision: number): Promise<void> => {
    const key = keyOf(row.name);
    await inStep(() => accounts.update(key, seal.seal(JSON.stringify(row), key), revision));
  };

  /** Deletes a removed account: first its state, then its row. Added again, it starts empty. */
  const forget = async (name: string): Promise<void> => {
    const { last, generation } = await lastState(name);
    const seq = await append(name, { kind: 'removed', generation: generation + 1, writer: 'removed', content: '' }, last);
    await forgetBefore(name, seq);
    const held = await row(name);
    if (held) await jsm.streams.deleteMessage(`KV_${ACCOUNTS}`, held.revision);
  };

  /** Changes with each change in a bucket, even after a restore of NATS resets its sequence numbers. */
  const versionOf = async (bucket: string): Promise<string> => {
    const { state } = await jsm.streams.info(`KV_${bucket}`);
    return `${state.last_seq} ${state.messages} ${state.last_ts}`;
  };

  const rowsVersion = (): Promise<string> => versionOf(ACCOUNTS);

  /** The rows, sorted by name. `broken`: the names of unreadable rows, for example damaged ones. */
  const rows = async (): Promise<{ readonly rows: readonly FleetRow[]; readonly broken: readonly string[] }> => {
    const keys = (await keysIn(ACCOUNTS)).filter((key) => key !== KEY_CHECK);
    const entries = await Promise.all(keys.map((key) => accounts.get(key)));
    const there = entries.flatMap((entry) => (entry?.operation === 'PUT' ? [{ key: entry.key, row: rowIn(entry) }] : []));
    const rows = there.flatMap(({ row }) => row ?? []).toSorted((a, b) => (a.name < b.name ? -1 : 1));
    return { rows, broken: there.flatMap(({ key, row }) => (row ? [] : nameOf(key))).toSorted() };
  };

  /** The account of each gateway. */
  const gateways = async (): Promise<ReadonlyMap<string, string>> => {
    const version = await versionOf(GATEWAYS);
    if (version === claims.version) return claims.accounts;
    const keys = await keysIn(GATEWAYS);
    const read = async (key: string): Promise<[string, string]> => [nameOf(key), (await claimed.get(key))?.string() ?? ''];
    claims = { version, accounts: new Map(await Promise.all(keys.map(read))) };
    return claims.accounts;
  };

  /** Assigns the gateway to the account if no account has it. */
  const claimGateway = async (gateway: string, account: string): Promise<void> => {
    await isNew(claimed.create(keyOf(gateway), account));
  };

  /** Only if this account has it: another one may have it by now. */
  const releaseGateway = async (gateway: string, account: string): Promise<void> => {
    const entry = await claimed.get(keyOf(gateway));
    if (entry?.string() === account) await jsm.streams.deleteMessage(`KV_${GATEWAYS}`, entry.revision);
  };

  /** The keys of all current leases. */
  const leaseKeys = (): Promise<readonly string[]> => keysIn(LEASES);

  /** All leases by key. */
  const leases = async (): Promise<ReadonlyMap<string, Held['value']>> => {
    const all = await Promise.all((await leaseKeys()).map(async (key) => [key, (await lease(key))?.value] as const));
    return new Map(all.flatMap(([key, value]) => (value ? [[key, value]] : [])));
  };

  /** Reads the subjects of the bucket: with NATS 2.9 a consumer hung on a cluster that had just started. */
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

  /**
   * Writes a lease at this revision (0: free); returns the next one. Throws OutOfStep, or without an answer.
   */
  const putLease = async (key: string, value: object, revision: number): Promise<number> => {
    const text = JSON.stringify(value);
    const put = async () => (revision === 0 ? leased.create(key, text) : leased.update(key, text, revision, 3000));
    return inStep(() => leaseLed(put));
  };

  const deleteLease = async (key: string, revision: number): Promise<void> => {
    // A delete marker would look like a lease, so the message itself is deleted.
    const held = await lease(key);
    if (held?.revision === revision) await jsm.streams.deleteMessage(`KV_${LEASES}`, revision);
  };

  /**
   * Appends a piece after message `last`; returns its sequence number. Throws OutOfStep, or without an
   * answer.
   */
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
   * The state, from the last piece with all rows to the last message of a worker. `behind`: the last sequence
   * number of all, including messages that no worker wrote. Throws if NATS does not answer or the key
   * differs.
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
      // A writer that stopped between two parts left an incomplete piece. It is skipped.
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
   * Deletes the earlier messages one by one. If all nodes are killed, NATS 2.9 repeats a purge at its start
   * up to the newest message, which would delete the state.
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

  /** Throws a UsageError if the fleet uses another key: other workers could not read the data. */
  const checkKey = async (): Promise<void> => {
    // If the key check was lost, unreadable rows show that the key differs.
    const isKnown = (await accounts.get(KEY_CHECK)) ?? (await rows()).broken.length > 0;
    if (!isKnown) await isNew(accounts.create(KEY_CHECK, seal.seal('{}', KEY_CHECK)));
    const entry = await accounts.get(KEY_CHECK);
    if (!entry || opened(entry.value, KEY_CHECK) === undefined) throw otherKey('the accounts of the fleet were');
  };

  /** Undefined if the bytes are damaged or were written with another key. */
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

/** `urls`: comma-separated nodes. Throws a UsageError: bad URL, no answer in time, or another key. */
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
  new UsageError('usage', `${what} encrypted with another key: all workers and commands need the same key (--key-file)`);

const subjectOf = (name: string): string => `${SUBJECT}.${keyOf(name)}`;

const NO_STATE: StateEnd = { last: 0, generation: 0, writer: '', isWhole: true };

const endIn = ({ seq, header }: { readonly seq: number; readonly header: MsgHdrs }): StateEnd => {
  const [part, of] = header.get('part').split('/');
  return { last: seq, generation: Number(header.get('generation')), writer: header.get('writer'), isWhole: part === of };
};
