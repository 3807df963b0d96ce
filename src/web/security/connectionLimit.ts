import type { BlockList } from 'node:net';
import { isIn, plainAddress, sourceOf } from './clientAddress.ts';

/** A browser opens 6 connections to a server, and users have several tabs. */
export const MOST_OF_ONE = 20;
export const MOST_OF_ALL = 100;

/** Limits connections per client and in total. Authenticated connections only count in the total. */
export class ConnectionLimit {
  readonly #trusted: BlockList;
  /** The unauthenticated connections of each source. */
  readonly #open = new Map<string, Set<object>>();
  #all = 0;

  /** Connections of `trusted` proxies belong to many clients. */
  constructor(trusted: BlockList) {
    this.#trusted = trusted;
  }

  /** True while no more clients can connect. */
  get isFull(): boolean {
    return this.#all >= MOST_OF_ALL;
  }

  /** Counts a connection until it closes; false if it exceeds a limit. */
  takes(socket: Connection): boolean {
    const address = plainAddress(socket.remoteAddress);
    const open = this.#open.get(sourceOf(address)) ?? new Set();
    if (this.isFull || (open.size >= MOST_OF_ONE && !isIn(this.#trusted, address))) return false;
    this.#all += 1;
    this.#open.set(sourceOf(address), open.add(socket));
    socket.once('close', () => {
      this.#all -= 1;
      this.#leave(socket, address);
    });
    return true;
  }

  /** A request on this connection was authorized: its login is valid, or none is needed. */
  letIn(socket: Connection): void {
    this.#leave(socket, plainAddress(socket.remoteAddress));
  }

  #leave(socket: Connection, address: string): void {
    const open = this.#open.get(sourceOf(address));
    open?.delete(socket);
    if (open?.size === 0) this.#open.delete(sourceOf(address));
  }
}

type Connection = { readonly remoteAddress?: string | undefined; once(event: 'close', listener: () => void): unknown };
