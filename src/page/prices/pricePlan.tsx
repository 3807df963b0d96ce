import { Button } from '../../editor/view/Button.tsx';
import { PRICE_WORDS } from '../../language/plans/priceWords.ts';
import { spanText } from '../../language/plans/spanText.ts';
import { localNow } from '../../schedule/shown/localNow.ts';
import { printTime } from '../../schedule/time.ts';
import { bridgeTopic } from '../../topics/topicNames.ts';
import { Outcome } from '../overview/outcome.tsx';
import { useReplaced } from '../shell/announcer.tsx';
import { localMoment, number } from '../shell/format.ts';
import { inLanguage, language } from '../state/preferences.ts';
import { base, topics, zoneOf } from '../state/store.ts';
import { send, writes } from '../state/writes.ts';
import { type Prices, pricePlanOf, type ShownPlan, type Span } from './model.ts';

const words = inLanguage(PRICE_WORDS);

const money = (value: number, currency: string, digits: number): string => {
  const how = { style: 'currency', currency, minimumFractionDigits: digits, maximumFractionDigits: digits } as const;
  return new Intl.NumberFormat(language.value, how).format(value);
};

type Zone = string | undefined;

const textOf = (spans: readonly Span[], zone: Zone): string =>
  spans.map(({ from, until }) => spanText(localMoment(from, zone), localMoment(until, zone))).join(', ');

type PlanProps = { readonly plan: ShownPlan; readonly prices: Prices | undefined; readonly zone: Zone };

const [WIDTH, BARS, STRIP] = [1440, 100, 14];
/** Positions of the time labels below the picture. */
const TICKS = [0, 0.25, 0.5, 0.75, 1];
const clockTime = (ms: number, zone: Zone): string => printTime(localNow(ms, zone).minutes);

/** The day's prices as bars, planned blocks in full colour; below them the user's week, and the plan. */
const Picture = ({ plan, prices: told, zone }: PlanProps) => {
  const [begin, end] = [Date.parse(plan.from), Date.parse(plan.until)];
  const x = (ms: number): number => ((ms - begin) / (end - begin)) * WIDTH;
  const firstMs = Date.parse(told?.from ?? '');
  const shown = (told?.values ?? [])
    .map(([minutes, price]) => ({ from: firstMs + minutes * 60_000, price }))
    .filter(({ from }) => from >= begin && from < end);
  const prices = shown.map(({ price }) => price);
  const [least, most] = [Math.min(0, ...prices), Math.max(0.001, ...prices)];
  const y = (price: number): number => BARS - ((price - least) / (most - least)) * BARS;
  const isPlanned = (ms: number): boolean => plan.blocks.some(({ from, until }) => Date.parse(from) <= ms && ms < Date.parse(until));
  const strip = (spans: readonly Span[], top: number, opacity: number, height = STRIP - 4) =>
    spans.map(({ from, until }) => {
      const [left, right] = [x(Date.parse(from)), x(Date.parse(until))];
      return <rect key={from} x={left} y={top} width={right - left} height={height} fill="currentColor" opacity={opacity} />;
    });
  return (
    <>
      <svg
        viewBox={`0 0 ${WIDTH} ${BARS + 2 * STRIP + 4}`}
        width="100%"
        height="140"
        preserveAspectRatio="none"
        role="img"
        aria-label={words.value.picture}
      >
        {strip(plan.windows, 0, 0.08, BARS)}
        {shown.map(({ from, price }, index) => (
          <rect
            key={from}
            x={x(from)}
            y={Math.min(y(price), y(0))}
            width={Math.max(1, x(shown[index + 1]?.from ?? end) - x(from) - 2)}
            height={Math.max(1, Math.abs(y(price) - y(0)))}
            fill="currentColor"
            opacity={isPlanned(from) ? 1 : 0.3}
          />
        ))}
        {strip(plan.own, BARS + 4, 0.4)}
        {strip(plan.blocks, BARS + 4 + STRIP, 1)}
      </svg>
      <div class="values quiet" aria-hidden="true">
        {TICKS.map((tick) => (
          <span key={tick}>{clockTime(begin + tick * (end - begin), zone)}</span>
        ))}
      </div>
    </>
  );
};

const Shown = ({ plan, prices, zone, currency }: PlanProps & { readonly currency: string }) => {
  const w = words.value;
  const side = (name: string, spans: readonly Span[], price: number) => (
    <p>
      <strong>{name}</strong>: {textOf(spans, zone)}; {w.mean(money(price, currency, 3))}
    </p>
  );
  return (
    <>
      <p class="quiet">
        {localMoment(plan.from, zone)} – {localMoment(plan.until, zone)}
      </p>
      <Picture plan={plan} prices={prices} zone={zone} />
      {side(w.own, plan.own, plan.own_price)}
      {side(w.plan, plan.blocks, plan.price)}
      {plan.at_most !== undefined && (
        <p>
          {w.atMost(money(plan.at_most, currency, 2), number(plan.kwh))}
          {plan.kwh_measured ? '' : w.assumed}.
        </p>
      )}
    </>
  );
};

/** The hot water price plan next to the user's week, with a send button; empty without prices. */
export const PricePlanCard = ({ device }: { readonly device: string }) => {
  const w = words.value;
  const found = pricePlanOf(topics.value, base.value, device);
  const told = found?.plan.running ? w.runs : found?.isOrdered ? w.ordered : '';
  const [place, pressed] = useReplaced<HTMLElement>(told, told && `${w.title}: ${told}`);
  if (!found) return null;
  const { plan, prices, mistake, currency, isOrdered, unread, unread_since: since = '' } = found;
  const zone = zoneOf(device);
  const topic = `${bridgeTopic(base.value, 'price_plan')}/set`;
  const order = (mode: string): void => {
    pressed();
    void send(topic, { device, mode });
  };
  const shown = plan.running ?? plan.proposed;
  const isDaily = plan.mode === 'daily';
  return (
    <section class="card stack" ref={place}>
      <h2>{w.title}</h2>
      {prices ? (
        <p class="quiet">
          {w.read(prices.count, prices.step_minutes, localMoment(prices.until, zone), w.units[prices.unit] ?? prices.unit)}
        </p>
      ) : (
        <p>{w.noPrices}</p>
      )}
      {unread !== undefined && <p class="banner">{w.unread(localMoment(since, zone), unread)}</p>}
      {mistake !== undefined && <p class="banner">{w.mistakes[mistake] ?? mistake}</p>}
      {prices?.unit_from === 'guess' && <p class="quiet">{w.guessed}</p>}
      {shown && <Shown plan={shown} prices={prices} zone={zone} currency={currency} />}
      {plan.running && <p>{w.runs}</p>}
      {!plan.running && plan.proposed && isOrdered && <p>{w.ordered}</p>}
      {!shown && prices && plan.refused !== undefined && <p>{w.refused[plan.refused] ?? plan.refused}</p>}
      <p class="quiet">{w.care}</p>
      <label class="check">
        <input type="checkbox" checked={isDaily} onChange={() => order(isDaily ? 'off' : 'daily')} />
        <span>{w.daily}</span>
      </label>
      {!plan.running && plan.proposed && !isOrdered && <Button text={w.send} class="start" onClick={() => order('once')} />}
      {(plan.running || isOrdered) && !isDaily && <Button text={w.off} class="start" onClick={() => order('off')} />}
      {writes.value.get(topic)?.phase === 'refused' && <Outcome topic={topic} name={w.title} />}
    </section>
  );
};
