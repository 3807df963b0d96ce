import { jetstreamManager } from '@nats-io/jetstream';
import { connect, createInbox, type NatsConnection } from '@nats-io/transport-node';

/** What `nats stream backup` writes: the stream's settings and all of its messages. */
export type StreamBackup = { readonly about: Readonly<Record<string, unknown>>; readonly chunks: readonly Uint8Array[] };

const asked = async (connection: NatsConnection, subject: string, body?: object): Promise<Readonly<Record<string, unknown>>> => {
  const answer = (await connection.request(subject, body && JSON.stringify(body), { timeout: 20_000 })).json<Record<string, unknown>>();
  if (answer['error'] !== undefined) throw new Error(`${subject}: ${JSON.stringify(answer['error'])}`);
  return answer;
};

const connected = async <T>(url: string, work: (connection: NatsConnection) => Promise<T>): Promise<T> => {
  const connection = await connect({ servers: [url] });
  try {
    return await work(connection);
  } finally {
    await connection.close();
  }
};

/** Keeps these streams while they are in use, as `nats account backup` does. */
export const backedUp = (url: string, names: readonly string[]): Promise<ReadonlyMap<string, StreamBackup>> =>
  connected(url, async (connection) => {
    const backups = new Map<string, StreamBackup>();
    for (const name of names) {
      const inbox = createInbox();
      const arriving = connection.subscribe(inbox);
      const about = await asked(connection, `$JS.API.STREAM.SNAPSHOT.${name}`, { deliver_subject: inbox, chunk_size: 65_536 });
      const chunks: Uint8Array[] = [];
      for await (const message of arriving) {
        if (message.data.length === 0) break;
        chunks.push(message.data);
        message.respond();
      }
      backups.set(name, { about, chunks });
    }
    return backups;
  });

/** Puts these streams in the place of what is there, as `nats stream rm` and `nats account restore` do. */
export const restored = (url: string, backups: ReadonlyMap<string, StreamBackup>): Promise<void> =>
  connected(url, async (connection) => {
    const jsm = await jetstreamManager(connection);
    for (const name of backups.keys()) await jsm.streams.delete(name);
    for (const [name, { about, chunks }] of backups) {
      const { deliver_subject: subject } = await asked(connection, `$JS.API.STREAM.RESTORE.${name}`, {
        config: about['config'],
        state: about['state'],
      });
      for (const chunk of chunks) await connection.request(String(subject), chunk, { timeout: 20_000 });
      await asked(connection, String(subject));
    }
  });
