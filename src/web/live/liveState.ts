import { EventEmitter } from 'node:events';
import type { LogLine, StateSince, StreamEvents, WholeState } from '../../api/answers.ts';
import type { BridgeView } from '../../bridge/bridgeView.ts';
import { jsonObject } from '../../shared/json.ts';
import { factsText, type LogRing } from '../../shared/log.ts';
import { VERSION } from '../../shared/version.ts';
import type { Answer } from '../../topics/resultPayload.ts';

/** The maximum of changes that a returning client can get. */
const MOST_CHANGES = 5000;
const MOST_RESULTS = 100;
const MOST_LOG_LINES = 200;

const LONGEST_LINE = 2000;

/** Parses a log line of pino: the message and its facts. */
export const readLogLine = (line: string): LogLine => {
  const { level, time, msg, ...facts } = jsonObject(line) ?? { msg: line.trim() };
  const shown = factsText(facts);
  const message = shown === '' ? String(msg) : `${msg} (${shown})`;
  return { at: String(time ?? ''), level: String(level ?? 'info'), message: message.slice(0, LONGEST_LINE) };
};

type Numbered<T> = { readonly rev: number; readonly value: T };

/** An event, with the number of the resulting state. */
export type LiveEvent = { [E in 'topic' | 'result' | 'log']: { readonly kind: E } & StreamEvents[E] }['topic' | 'result' | 'log'];

type LiveEvents = {
  event: [event: LiveEvent];
  /** Another bridge is running: earlier topic states are invalid. */
  reset: [];
};

/** The last items, each with its number. */
class Ring<T> {
  readonly #most: number;
  #items: Numbered<T>[] = [];
  /** The number of the last item that was dropped. */
  lost: number;

  constructor(most: number, lost: number) {
    this.#most = most;
    this.lost = lost;
  }

  add(rev: number, value: T): void {
    this.#items.push({ rev, value });
    // In batches, because each one moves all items.
    if (this.#items.length > this.#most * 1.25) {
      this.lost = this.#items.at(-this.#most - 1)?.rev ?? this.lost;
      this.#items = this.#items.slice(-this.#most);
    }
  }

  clear(rev: number): void {
    this.#items = [];
    this.lost = rev;
  }

  /** The items after this number, at most the newest `most`. */
  since(rev: number): readonly T[] {
    return this.#items
      .filter((item) => item.rev > rev)
      .map(({ value }) => value)
      .slice(-this.#most);
  }
}

/**
 * The state of the bridge, with a number that grows with each change, for clients that follow it: its
 * retained topics, the last answers and the last log lines. The bridge can be replaced by another one.
 */
export class LiveState extends EventEmitter<LiveEvents> {
  /** Starts with the time, so that a client's number from an earlier process is too old. */
  rev: number;
  readonly #changes: Ring<string>;
  readonly #results: Ring<Answer>;
  readonly #log: Ring<LogLine>;
  #view: BridgeView | undefined;
  /** The displayed bridge until another one starts: while it stops, it still answers accepted commands. */
  #last: BridgeView | undefined;
  #base = '';
  /** The ids of the last commands from pages that the bridge accepted. */
  #taken: readonly Answer['id'][] = [];
  /** When each topic last changed (epoch ms); 0 if it still has its first value. */
  readonly #changedAt = new Map<string, number>();
  readonly #now: () => number;

  /** `now` returns epoch milliseconds. */
  constructor(log: LogRing, now: () => number) {
    super();
    const nowMs = now();
    this.#now = now;
    this.rev = nowMs;
    this.#changes = new Ring(MOST_CHANGES, nowMs);
    this.#results = new Ring(MOST_RESULTS, nowMs);
    this.#log = new Ring(MOST_LOG_LINES, nowMs);
    log.follow((line) => this.#addLine(line));
  }

  /** The running bridge; undefined if there is none. */
  get view(): BridgeView | undefined {
    return this.#view;
  }

  /** Follows only this bridge from now on. Without one, the data of the last one stays. */
  attach(view: BridgeView | undefined): void {
    this.#view = view;
    if (!view || view === this.#last) return;
    this.#last = view;
    this.#base = view.base;
    this.rev += 1;
    this.#changes.clear(this.rev);
    this.#changedAt.clear();
    for (const topic of view.topics().keys()) this.#changedAt.set(topic, 0);
    this.emit('reset');
    view.on('topic', (topic) => {
      if (this.#last !== view) return;
      this.rev += 1;
      this.#changes.add(this.rev, topic);
      this.#changedAt.set(topic, this.#changedAt.has(topic) ? this.#now() : 0);
      this.emit('event', { kind: 'topic', rev: this.rev, topic, payload: view.payloadOf(topic) ?? null });
    });
    view.on('answer', (answer) => {
      if (this.#last !== view) return;
      this.rev += 1;
      this.#results.add(this.rev, answer);
      this.emit('event', { kind: 'result', rev: this.rev, answer });
    });
  }

  /** A command with this id has reached the bridge; its answers come later. */
  took(id: Answer['id']): void {
    if (id !== undefined) this.#taken = [...this.#taken, id].slice(-MOST_RESULTS);
  }

  whole(): WholeState {
    return {
      rev: this.rev,
      base: this.#base,
      version: VERSION,
      platform: `${process.platform} ${process.arch}, Node ${process.versions.node}`,
      topics: Object.fromEntries(this.#last?.topics() ?? []),
      results: this.#results.since(0),
      taken: this.#taken,
      log: this.#log.since(0),
    };
  }

  /** When each topic last changed (epoch ms); without topics unchanged since the bridge's start. */
  changes(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#changedAt].filter(([topic, atMs]) => atMs > 0 && this.#view?.payloadOf(topic) !== undefined));
  }

  /** The changes after this number; undefined if no longer known. */
  since(rev: number): StateSince | undefined {
    if (!(rev >= this.#changes.lost && rev <= this.rev)) return undefined;
    const changed = [...new Set(this.#changes.since(rev))].map((topic) => [topic, this.#last?.payloadOf(topic) ?? null] as const);
    return {
      rev: this.rev,
      changed: Object.fromEntries(changed),
      results: this.#results.since(rev),
      log: this.#log.since(rev),
      taken: this.#taken,
    };
  }

  #addLine(text: string): void {
    const line = readLogLine(text);
    this.rev += 1;
    this.#log.add(this.rev, line);
    this.emit('event', { kind: 'log', rev: this.rev, ...line });
  }
}
