import { chartWords } from './words.ts';

type Lines = { readonly lines: readonly (readonly string[])[] };

/** A table whose first line and first column are headings. */
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

/** What a chart shows as a table, for those who cannot see it. */
export const ChartTable = (props: Lines) => (
  <details>
    <summary>{chartWords.value.asTable}</summary>
    <div class="table-scroll">
      <Table {...props} />
    </div>
  </details>
);
