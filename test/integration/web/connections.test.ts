import { once } from 'node:events';
import { type AddressInfo, BlockList, connect, createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { reportBridge } from '../../../src/cli/check/checkBridge.ts';
import { ConnectionLimit } from '../../../src/web/security/connectionLimit.ts';
import { startPage } from '../../support/web/webSystem.ts';

/** A client that never closes its side, whatever it hears. */
const holding = async (port: number, sends: string): Promise<Socket> => {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => undefined).resume();
  await once(socket, 'connect');
  socket.write(sends);
  return socket;
};

/** One connection of an address, for as long as it is not closed. */
const open = (limit: ConnectionLimit, remoteAddress: string) => {
  const closed: (() => void)[] = [];
  const socket = { remoteAddress, once: (_: 'close', listener: () => void) => closed.push(listener) };
  return limit.takes(socket) ? { letIn: () => limit.letIn(socket), close: () => closed[0]?.() } : undefined;
};

describe('connections', () => {
  test.each([
    ['half a request', 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: '],
    ['nothing', ''],
    ['no HTTP', '\u0016\u0003\u0001\r\n\r\n'],
  ])('that send %s and stay are cut, so that the page answers again', async (_, sends) => {
    const { client, port, web } = await startPage({ timeouts: { headersMs: 200, requestMs: 400, checkMs: 50 } });
    const cut: Promise<unknown>[] = [];
    for (let number = 0; number < 40; number += 1) cut.push(once(await holding(port, sends), 'end'));
    // 20 of them are cut at once, the others when their time is over. Each would keep its connection if the page waited for its end.
    await Promise.all(cut);
    await expect.poll(async () => (await client.get('/health').catch(() => ({ status: 0 }))).status).toBe(200);
    expect(web.reach()).toBe('served');
  });

  test('of Home Assistant alone are missed too, where their port is taken', async () => {
    const other = createServer().listen(0);
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const { web } = await startPage({ settings: { ingress: (other.address() as AddressInfo).port } });
    expect([web.addresses().length, web.reach()]).toEqual([1, 'unserved']);
  });

  test('are none where the settings leave the page out, as without a password in a container', async () => {
    expect((await startPage({ isContainer: true })).web.reach()).toBe('off');
  });

  test('of one address are bounded, of an IPv6 network together, of a trusted proxy by all', () => {
    const trusted = new BlockList();
    trusted.addAddress('192.168.1.2');
    const limit = new ConnectionLimit(trusted);
    const openMany = (count: number, address: (number: number) => string) =>
      Array.from({ length: count }, (_, number) => open(limit, address(number))).filter((end) => end !== undefined);
    const ends = openMany(25, () => '::ffff:192.168.1.9');
    expect(ends).toHaveLength(20);
    expect(openMany(25, (number) => `2001:db8:0:1::${number + 1}`)).toHaveLength(20);
    expect(openMany(1, () => '2001:db8:0:2::1')).toHaveLength(1);
    ends[0]?.close();
    expect(openMany(2, () => '192.168.1.9')).toHaveLength(1);
    // One that was let in makes room for another, and counts among all.
    ends[2]?.letIn();
    expect(openMany(2, () => '192.168.1.9')).toHaveLength(1);
    expect([openMany(80, () => '192.168.1.2').length, limit.isFull]).toEqual([58, true]);
    ends[1]?.close();
    expect(limit.isFull).toBe(false);
  });

  test.each([
    ['served', 'ok', 'ok'],
    ['unserved', 'FAIL', 'note'],
    ['full', 'FAIL', 'note'],
    ['off', undefined, undefined],
  ] as const)('check says that the page is %s, and no new start is asked for', (page, check, health) => {
    const status = { broker: true, stalled_s: 0, platform: true, running_s: 100, poll_seconds: 60, auth: 'ok', auth_message: 'fine', page };
    for (const [question, mark] of [['check', check] as const, ['health', health] as const]) {
      const marks: string[] = [];
      const good = reportBridge(status, question, (given, name) => {
        if (name === 'page') marks.push(given);
        return given !== 'FAIL';
      });
      expect([marks, good]).toEqual([mark === undefined ? [] : [mark], mark !== 'FAIL']);
    }
  });
});
