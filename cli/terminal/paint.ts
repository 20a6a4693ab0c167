/** The colors of what is told. */
export type Paint = 'cyan' | 'yellow' | 'magenta' | 'blue' | 'green' | 'red' | 'dim';
