import { Button } from '../../editor/view/Button.tsx';
import { chartWords } from './words.ts';

type Lines = { readonly lines: readonly (readonly string[])[] };

/** A table with headings in its first row and first column. */
export const Table = ({ lines: [head = [], ...lines] }: Lines) => (
  <table>
    <thead>
      <tr>
        {head.map((title) => (
          <th key={title} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {lines.map(([title, ...cells]) => (
        <tr key={title}>
          <th scope="row">{title}</th>
          {cells.map((cell, index) => (
            <td key={head[index + 1]}>{cell}</td>
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

type PeriodsProps<T> = {
  readonly all: readonly (readonly [value: T, text: string])[];
  readonly chosen: T;
  readonly onChoose: (value: T) => void;
};

/** The selectable periods of a chart. */
export const Periods = <T extends string | number>({ all, chosen, onChoose }: PeriodsProps<T>) => (
  <fieldset class="choices">
    <legend class="unseen">{chartWords.value.period}</legend>
    {all.map(([one, text]) => (
      <Button text={text} key={one} aria-pressed={one === chosen} onClick={() => onChoose(one)} />
    ))}
  </fieldset>
);

/** The data of a chart as a table, for users who cannot see the chart. */
export const ChartTable = (props: Lines) => (
  <details>
    <summary>{chartWords.value.asTable}</summary>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: with long names it scrolls on a narrow phone, also by the keyboard */}
    <div class="table-scroll" tabIndex={0}>
      <Table {...props} />
    </div>
  </details>
);
