import { words } from './setupState.ts';

/** A drawing of the form in the vendor's portal, and of the list with the id that follows: where the address goes, and where the id is. */
export const PortalDrawing = () => {
  const d = words.value.drawing;
  return (
    <svg class="portal" viewBox="0 0 340 270" role="img" aria-label={d.label}>
      <rect class="sheet" x="1" y="1" width="338" height="164" rx="10" />
      <text class="strong" x="16" y="26">
        {d.heading}
      </text>
      <text x="16" y="56">
        {d.name}
      </text>
      <rect class="box" x="140" y="40" width="184" height="24" rx="4" />
      <text class="typed" x="148" y="57">
        {d.anyName}
      </text>
      <text x="16" y="88">
        {d.captcha}
      </text>
      <rect class="box" x="140" y="74" width="38" height="20" rx="10" />
      <circle class="knob" cx="150" cy="84" r="7" />
      <text x="188" y="88">
        {d.off}
      </text>
      <text x="16" y="120">
        {d.uris}
      </text>
      <rect class="box marked" x="140" y="104" width="184" height="24" rx="4" />
      <text class="mark" x="148" y="121">
        {`→ ${d.here}`}
      </text>
      <rect class="button" x="250" y="136" width="74" height="22" rx="4" />
      <text class="on-button" x="287" y="151" text-anchor="middle">
        {d.save}
      </text>
      <path class="arrow" d="M170 168v14m-5-6 5 7 5-7" />
      <rect class="sheet" x="1" y="188" width="338" height="80" rx="10" />
      <text class="strong" x="16" y="212">
        {d.list}
      </text>
      <text x="16" y="246">
        {d.id}
      </text>
      <rect class="box marked" x="90" y="229" width="120" height="24" rx="4" />
      <text class="typed" x="98" y="246">
        4f1c0b…d29a7e
      </text>
      <text class="mark" x="222" y="246">
        {`← ${d.take}`}
      </text>
    </svg>
  );
};
