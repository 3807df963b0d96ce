import { words } from './setupState.ts';

/** A drawing of the vendor's portal (in English): the form for the address, and the list with the id. */
export const PortalDrawing = () => {
  const d = words.value.drawing;
  const texts: readonly (readonly [x: number, y: number, text: string, look?: string])[] = [
    [16, 26, 'Add client', 'strong'],
    [16, 56, 'Name'],
    [148, 57, 'heating2mqtt', 'typed'],
    [16, 88, 'Google reCAPTCHA'],
    [188, 88, d.off],
    [16, 120, 'Redirect URIs'],
    [148, 121, `→ ${d.here}`, 'mark'],
    [16, 212, 'Clients', 'strong'],
    [16, 246, d.id],
    [98, 246, '4f1c0b…d29a7e', 'typed'],
    [222, 246, `← ${d.take}`, 'mark'],
  ];
  return (
    <svg class="portal" viewBox="0 0 340 270" role="img" aria-label={d.label}>
      <rect class="sheet" x="1" y="1" width="338" height="164" rx="10" />
      <rect class="box" x="140" y="40" width="184" height="24" rx="4" />
      <rect class="box" x="140" y="74" width="38" height="20" rx="10" />
      <circle class="knob" cx="150" cy="84" r="7" />
      <rect class="box marked" x="140" y="104" width="184" height="24" rx="4" />
      <rect class="button" x="250" y="136" width="74" height="22" rx="4" />
      <path class="arrow" d="M170 168v14m-5-6 5 7 5-7" />
      <rect class="sheet" x="1" y="188" width="338" height="80" rx="10" />
      <rect class="box marked" x="90" y="229" width="120" height="24" rx="4" />
      <text class="on-button" x="287" y="151" text-anchor="middle">
        Create
      </text>
      {texts.map(([x, y, text, look]) => (
        <text key={y + x} class={look} x={x} y={y}>
          {text}
        </text>
      ))}
    </svg>
  );
};
