import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  handOver,
  type Leaving,
  leavingBetween,
  type Steps,
  stepsAtBirth,
  stepsTo,
  stillLeaving,
} from '../../../src/homeassistant/documents/documentSteps.ts';
import { objectId, partObjectId } from '../../../src/homeassistant/ids.ts';
import type { Message } from '../../../src/shared/message.ts';
import { runs } from '../../support/chance.ts';

const OBJECT = objectId('7', '0');

/** What is offered: entities by key, with their platform and part, on one page or with a document for each part. */
type Offer = {
  readonly parts: boolean;
  readonly entities: Readonly<Record<string, { readonly platform: string; readonly part: string | undefined }>>;
};

const documentsOf = ({ parts, entities }: Offer): readonly Message[] => {
  const all = Object.entries(entities).map(([key, { platform, part }]) => ({ key, platform, part: parts ? part : undefined }));
  const answer = { key: 'answer', platform: 'event', part: undefined };
  return [...Map.groupBy([answer, ...all], ({ part }) => part)].map(([part, own]): Message => {
    const object = part === undefined ? OBJECT : partObjectId(OBJECT, part);
    const components = own.map(({ key, platform }) => [key, { platform, unique_id: `${OBJECT}_${key}`, state_topic: key }]);
    const payload = JSON.stringify({ device: { identifiers: [object] }, components: Object.fromEntries(components) });
    return { topic: `homeassistant/device/${object}/config`, payload, retain: true };
  });
};

const idsOf = (documents: readonly Message[]): readonly string[] =>
  documents.flatMap(({ payload }) =>
    Object.values<{ platform: string; unique_id: string }>(JSON.parse(payload).components).map(
      ({ platform, unique_id: id }) => `${platform} ${id}`,
    ),
  );

/** What Home Assistant 2026.11 does with discovery, thought out after its code: what it has loaded, and what it remembers. */
class Hub {
  /** By platform, object and key: the topic of the document and the entity. */
  readonly loaded = new Map<string, { readonly topic: string; readonly entity: string }>();
  readonly remembered = new Set<string>();
  readonly problems: string[] = [];
  /** Entities that were removed, and so have lost what people set on them. */
  readonly removed = new Set<string>();

  take(topic: string, payload: string): void {
    const [, object = ''] = /^homeassistant\/device\/([^/]+)\/config$/.exec(topic) ?? [];
    const own = (): string[] => [...this.loaded.keys()].filter((hash) => hash.split(' ')[1] === object);
    const document = payload === '' ? {} : JSON.parse(payload);
    if (document.migrate_discovery) {
      for (const hash of own()) if (this.loaded.get(hash)?.topic === topic) this.loaded.delete(hash);
    } else if (payload === '') {
      for (const hash of own()) this.#remove(hash, topic);
    } else {
      for (const [key, component] of Object.entries<Record<string, string>>(document.components)) {
        const hash = `${component['platform']} ${object} ${key}`;
        if (Object.keys(component).length === 1) this.#remove(hash, topic);
        else this.#add(hash, topic, `${component['platform']} ${component['unique_id']}`);
      }
    }
  }

  /** Home Assistant starts anew and reads what is retained. */
  restart(retained: ReadonlyMap<string, string>): void {
    this.loaded.clear();
    for (const [topic, payload] of retained) this.take(topic, payload);
  }

  #add(hash: string, topic: string, entity: string): void {
    const known = this.loaded.get(hash);
    if (known && known.topic !== topic) this.problems.push(`${topic} conflicts with ${known.topic}`);
    else if (!known && [...this.loaded.values()].some((other) => other.entity === entity)) this.problems.push(`${entity} is there twice`);
    else {
      this.loaded.set(hash, { topic, entity });
      this.remembered.add(entity);
    }
  }

  #remove(hash: string, topic: string): void {
    const known = this.loaded.get(hash);
    if (!known) return;
    if (known.topic !== topic) {
      this.problems.push(`${topic} clears what ${known.topic} has`);
      return;
    }
    this.loaded.delete(hash);
    this.remembered.delete(known.entity);
    this.removed.add(known.entity);
  }
}

/** A broker that holds exactly what a step says; what is released is cleared first. */
class Broker {
  readonly retained = new Map<string, string>();

  assign(step: readonly Message[], hub?: Hub): void {
    const topics = new Set(step.map(({ topic }) => topic));
    for (const topic of [...this.retained.keys()].filter((one) => !topics.has(one))) {
      this.retained.delete(topic);
      hub?.take(topic, '');
    }
    for (const { topic, payload } of step) {
      if (this.retained.get(topic) === payload) continue;
      this.retained.set(topic, payload);
      hub?.take(topic, payload);
    }
  }
}

const PARTS = [undefined, 'heating.circuits.0', 'heating.dhw'] as const;
const entity = fc.record({ platform: fc.constantFrom('sensor', 'switch'), part: fc.constantFrom(...PARTS) });
const offer: fc.Arbitrary<Offer> = fc.record({
  parts: fc.boolean(),
  entities: fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd', 'e'), entity, { maxKeys: 5 }),
});

/** The same with a platform that follows from the key: a document holds one component of a key, so of two that have left one is forgotten. */
const steady = ({ entities, ...rest }: Offer): Offer => ({
  ...rest,
  entities: Object.fromEntries(Object.entries(entities).map(([key, one]) => [key, { ...one, platform: key < 'c' ? 'sensor' : 'switch' }])),
});

const both = (before: readonly string[], after: readonly string[]): readonly string[] => before.filter((id) => after.includes(id));
const textsOf = (documents: readonly Message[]) => new Map(documents.map(({ topic, payload }) => [topic, payload] as const));

const expectSame = (hub: Hub, wanted: readonly Message[]): void => {
  expect(hub.problems).toEqual([]);
  expect([...hub.loaded.values()].map((one) => one.entity).sort()).toEqual([...idsOf(wanted)].sort());
  expect([...hub.remembered].sort()).toEqual([...idsOf(wanted)].sort());
};

describe('the steps from some documents to others, for a Home Assistant', () => {
  it('that is there: nothing is doubled, left over, or forgotten that stays', () => {
    fc.assert(
      fc.property(fc.array(offer, { minLength: 2, maxLength: 4 }), (offers) => {
        const [broker, hub] = [new Broker(), new Hub()];
        let before: readonly Message[] = [];
        for (const one of offers) {
          const wanted = documentsOf(one);
          const shown = textsOf(before);
          hub.removed.clear();
          for (const step of stepsTo(shown, wanted, leavingBetween(shown, wanted))) broker.assign(step, hub);
          expectSame(hub, wanted);
          expect(Object.fromEntries(broker.retained)).toEqual(Object.fromEntries(textsOf(wanted)));
          expect(both([...hub.removed], both(idsOf(before), idsOf(wanted)))).toEqual([]);
          before = wanted;
        }
      }),
      { numRuns: runs(300) },
    );
  });

  it('that starts later: what left while it was away goes at its birth', () => {
    fc.assert(
      fc.property(fc.array(offer, { minLength: 2, maxLength: 4 }), (offers) => {
        const [broker, hub] = [new Broker(), new Hub()];
        let before: readonly Message[] = [];
        let leaving: Leaving = new Map();
        const first = documentsOf(steady(offers[0] ?? { parts: false, entities: {} }));
        for (const one of offers) {
          const wanted = documentsOf(steady(one));
          const shown = textsOf(before);
          const fresh = leavingBetween(shown, wanted);
          leaving = stillLeaving(leaving, fresh, wanted);
          // Only the first offer finds it there.
          for (const step of stepsTo(shown, wanted, fresh)) broker.assign(step, before.length === 0 ? hub : undefined);
          before = wanted;
        }
        hub.restart(broker.retained);
        for (const step of stepsAtBirth(before, leaving)) broker.assign(step, hub);
        expectSame(hub, before);
        expect(both([...hub.removed], both(idsOf(first), idsOf(before)))).toEqual([]);
      }),
      { numRuns: runs(300) },
    );
  });

  it('that is born while the documents change', () => {
    fc.assert(
      fc.property(offer, offer, offer, (a, b, c) => {
        const [broker, hub] = [new Broker(), new Hub()];
        const [first, second, third] = [a, b, c].map((one) => documentsOf(steady(one))) as [Message[], Message[], Message[]];
        broker.assign(first, hub);
        const leaving = leavingBetween(textsOf(first), second);
        for (const step of stepsTo(textsOf(first), second, leaving)) broker.assign(step);
        hub.restart(broker.retained);
        const fresh = leavingBetween(textsOf(second), third);
        const all = stillLeaving(leaving, fresh, third);
        const steps: Steps = [...handOver(textsOf(second), third), ...stepsAtBirth(third, all)];
        for (const step of steps) broker.assign(step, hub);
        expectSame(hub, third);
      }),
      { numRuns: runs(300) },
    );
  });

  it('whose bridge was stopped in the midst of them: the next run goes to its end', () => {
    const moving = { platform: 'sensor', part: 'heating.circuits.0' };
    const moved: Offer = { parts: false, entities: { b: moving } };
    const leftAndMoved: Offer = { parts: true, entities: { a: { platform: 'sensor', part: undefined }, b: moving } };
    fc.assert(
      fc.property(offer, offer, fc.nat(3), fc.boolean(), (a, b, n, isNoted) => {
        const [broker, hub] = [new Broker(), new Hub()];
        const [first, second] = [a, b].map((one) => documentsOf(steady(one))) as [Message[], Message[]];
        broker.assign(first, hub);
        const steps = stepsTo(textsOf(first), second, leavingBetween(textsOf(first), second));
        for (const step of steps.slice(0, n)) broker.assign(step, hub);
        // The database has the last step from just before it on.
        const shown = textsOf(n >= steps.length || (isNoted && n === steps.length - 1) ? second : first);
        for (const step of stepsTo(shown, second, leavingBetween(shown, second))) broker.assign(step, hub);
        expect(hub.problems).toEqual([]);
        expect([...hub.loaded.values()].map((one) => one.entity).sort()).toEqual([...idsOf(second)].sort());
        expect(both([...hub.removed], both(idsOf(first), idsOf(second)))).toEqual([]);
        expect([...hub.remembered].sort()).toEqual([...idsOf(second)].sort());
      }),
      // While a circuit's entity moves to the heating, another one of the heating leaves.
      { numRuns: runs(300), examples: [[leftAndMoved, moved, 1, true]] },
    );
  });
});
