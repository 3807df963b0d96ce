import { encode } from 'uqr';
import { printWeek } from '../../schedule/text/weekText.ts';
import type { Week } from '../../schedule/week.ts';
import { CopyField } from '../setup/copyField.tsx';
import { words } from './words.ts';

/** The maximum that a phone scans reliably from a screen; weeks in use have at most 255 characters. */
const LONGEST_QR = 600;

/** A week as one line of text, and as a QR code. */
export const Share = ({ week }: { readonly week: Week }) => {
  const w = words.value;
  const line = printWeek(week);
  if (line === undefined) return <p class="quiet">{w.noLine}</p>;
  return (
    <>
      <CopyField label={w.line} value={line} />
      {line.length <= LONGEST_QR && <QrCode text={line} />}
    </>
  );
};

const QrCode = ({ text }: { readonly text: string }) => {
  const { data, size } = encode(text, { ecc: 'M', border: 4 });
  const dark = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])));
  return (
    <svg class="qr" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={words.value.qr} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={dark.join('')} fill="#000" />
    </svg>
  );
};
