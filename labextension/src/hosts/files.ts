/** The files that hold a program, as every host names them. */
export interface ProgramFile {
  readonly name: string;
  readonly displayName: string;
  readonly extension: `.${string}`;
  readonly mimeType: string;
}

export const PROGRAM_FILES: readonly ProgramFile[] = [
  {
    name: "exir-viz-pt2",
    displayName: "PyTorch Exported Program",
    extension: ".pt2",
    mimeType: "application/x-pytorch-pt2",
  },
  {
    name: "exir-viz-pte",
    displayName: "ExecuTorch Program",
    extension: ".pte",
    mimeType: "application/x-executorch-pte",
  },
  {
    name: "exir-viz-snapshot",
    displayName: "exir_viz Snapshot",
    extension: ".exirviz",
    mimeType: "application/x-exirviz",
  },
];
