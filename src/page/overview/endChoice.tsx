import { useEffect, useRef } from 'preact/hooks';
import { Button } from '../../editor/view/Button.tsx';
import { localNow } from '../../schedule/shown/localNow.ts';
import { type End, endsOffered } from '../model/moments.ts';
import { moment } from '../shell/format.ts';
import { words } from '../shell/words.ts';
import { now } from '../state/time.ts';

const wordOf = (end: End, endsBy: Props['endsBy']): string => {
  const { ends } = words.value;
  if (end.kind === 'open' && endsBy) return ends[endsBy];
  return end.kind === 'next' ? ends.next(moment(end.until)) : ends[end.kind];
};

type Props = {
  /** What will change: `21 °C → 21.5 °C`. */
  readonly what: string;
  readonly zone: string | undefined;
  /** What it ends with, where nobody says when. */
  readonly endsBy?: 'schedule' | 'time' | 'hand' | undefined;
  /** When the schedule changes next (RFC 3339): the first that is offered, where it ends by nothing else. */
  readonly nextAt?: string | undefined;
  readonly onChoose: (end: End) => void;
  readonly onCancel: () => void;
  /** Keeps the focus where it is: on the − or + that is being pressed. */
  readonly keepsFocus?: boolean;
};

/** Asks for how long a change shall last; the answer sends it. */
export const EndChoice = ({ what, zone, endsBy, nextAt, onChoose, onCancel, keepsFocus = false }: Props) => {
  const first = useRef<HTMLButtonElement>(null);
  const box = useRef<HTMLFieldSetElement>(null);
  useEffect(() => box.current?.scrollIntoView({ block: 'nearest' }), []);
  useEffect(() => {
    if (!keepsFocus) first.current?.focus();
  }, [keepsFocus]);
  const w = words.value;
  const isNext = !endsBy && nextAt !== undefined && Date.parse(nextAt) > now.value;
  const next: readonly End[] = isNext ? [{ kind: 'next', until: nextAt }] : [];
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
      {[...next, ...endsOffered(localNow(now.value, zone))].map((end, index) => (
        <button
          key={end.kind}
          ref={index === 0 ? first : null}
          type="button"
          class={index === 0 ? 'primary' : ''}
          onClick={() => onChoose(end)}
        >
          {wordOf(end, endsBy)}
        </button>
      ))}
      <Button text={w.cancel} class="plain" onClick={onCancel} />
    </fieldset>
  );
};
