import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { localNow } from '../../schedule/shown/localNow.ts';
import { type End, endsOffered } from '../model/moments.ts';
import { moment } from '../shell/format.ts';
import { words } from '../shell/words.ts';
import { now } from '../state/time.ts';

const wordOf = ({ kind }: End, { endsBy, nextAt = '' }: Pick<Props, 'endsBy' | 'nextAt'>): string => {
  const { ends } = words.value;
  if (kind === 'open' && endsBy) return ends[endsBy];
  if (kind !== 'next') return ends[kind];
  return Date.parse(nextAt) - now.value < STEP_MS ? ends.schedule : ends.next(moment(nextAt));
};

/** If the next change is less than one schedule step ahead, the bridge uses the change after it. */
const STEP_MS = 600_000;

type Props = {
  /** The change: `21 °C → 21.5 °C`. */
  readonly what: string;
  readonly zone: string | undefined;
  /** How the change ends if no end is given. */
  readonly endsBy?: 'schedule' | 'time' | 'hand' | undefined;
  /** The next change of the schedule that controls it (RFC 3339). */
  readonly nextAt?: string | undefined;
  /** The next change is the most common choice. */
  readonly isNextUsual?: boolean;
  readonly onChoose: (end: End) => void;
  readonly onCancel: () => void;
  /** Keeps the focus on the pressed − or + button. */
  readonly keepsFocus?: boolean;
};

/** Asks for the duration of a change; the answer sends the change. */
export const EndChoice = ({ what, zone, endsBy, nextAt, isNextUsual = false, onChoose, onCancel, keepsFocus = false }: Props) => {
  const first = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLFieldSetElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), []);
  useEffect(() => {
    if (!keepsFocus) first.current?.focus();
  }, [keepsFocus]);
  const w = words.value;
  const isNext = (!endsBy || endsBy === 'hand') && nextAt !== undefined;
  const next: readonly End[] = isNext ? [{ kind: 'next', until: 'next' }] : [];
  return (
    <fieldset
      ref={box}
      class="ends"
      onKeyDown={(event) => {
        if (event.key === 'Escape') onCancel();
      }}
    >
      <legend>
        <strong>{what}</strong> <span>{w.howLong}</span>
      </legend>
      {endsOffered(localNow(now.value, zone))
        .toSpliced(isNextUsual ? 0 : 1, 0, ...next)
        .map((end, index) => (
          <Button
            key={end.kind}
            ref={index === 0 ? first : null}
            text={wordOf(end, { endsBy, nextAt })}
            class={index === 0 ? 'primary' : ''}
            onClick={() => onChoose(end)}
          />
        ))}
      <Button text={w.cancel} class="plain" onClick={onCancel} />
    </fieldset>
  );
};
