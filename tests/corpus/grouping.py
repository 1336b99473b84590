"""Which tests run in one process, one after another, and which of these groups begin first.

A file is a group: its tests share what its fixtures and caches have made. Some files share more than
that, such as a server, and are one group together. What takes longest begins first, so that a run does not
end with one long group.
"""

from __future__ import annotations

from collections.abc import Iterable

# Files whose tests share what is expensive, by the name of their group.
TOGETHER: dict[str, tuple[str, ...]] = {
    # a Jupyter server, the page of JupyterLab, and a kernel that has imported torch
    "notebooks": (
        "tests/ui/test_documents.py",
        "tests/ui/test_jupyter.py",
        "tests/ui/test_jupyter_browsers.py",
        "tests/ui/test_jupyter_compare.py",
        "tests/ui/test_jupyter_extension.py",
        "tests/ui/test_jupyter_kernel.py",
        "tests/ui/test_jupyter_lessons.py",
        "tests/ui/test_jupyter_profile.py",
        "tests/ui/test_jupyter_stages.py",
        "tests/ui/test_notebook_stages.py",
    ),
    # every program of the corpus at ATen, Core ATen and edge
    "all programs": (
        "tests/measure/test_numbers.py",
        "tests/readers/test_archive.py",
        "tests/readers/test_live.py",
        "tests/readers/test_lowered.py",
        "tests/snapshot/test_text_torch.py",
        "tests/ui/test_programs.py",
    ),
    # a wheel of this checkout
    "wheels": (
        "tests/packaging/test_base_install.py",
        "tests/packaging/test_distributions.py",
        "tests/packaging/test_pyodide.py",
        "tests/packaging/test_requirements.py",
        "tests/packaging/test_upgrading.py",
    ),
}
# Groups that take more than two seconds of a processor, in that order; those with a browser, which waits,
# count half as much again. A new file that takes as long belongs here too, or `make quick` takes too long.
LONGEST: tuple[str, ...] = (
    "notebooks",
    "tests/stages/test_remedies.py",
    "all programs",
    "tests/ui/test_scenes.py",
    "tests/test_public_docs.py",
    "tests/test_plain_torch.py",
    "tests/ui/test_moves.py",
    "tests/reports/test_delegation.py",
    "tests/server/test_files.py",
    "tests/reports/test_state.py",
    "tests/compare/test_emitted.py",
    "tests/ui/test_keyboard.py",
    "tests/ui/test_timeline.py",
    "tests/measure/test_device_values.py",
    "tests/ui/test_compare.py",
    "tests/stages/test_lowering.py",
    "tests/measure/test_flops.py",
    "tests/stages/test_isolation.py",
    "tests/stages/test_lineage.py",
    "tests/compare/test_lowered.py",
    "tests/documentation/test_pages.py",
    "tests/stages/test_backend.py",
    "tests/stages/test_quantize.py",
    "tests/measure/test_runtime.py",
    "tests/measure/test_bisect.py",
    "tests/ui/test_safety.py",
    "tests/remedies/test_steps.py",
    "tests/snapshot/test_expr.py",
    "tests/ui/test_small_spaces.py",
    "tests/ui/test_contrast.py",
    "tests/measure/test_sweep.py",
    "tests/stages/test_session.py",
    "tests/ui/test_narrow.py",
    "tests/reports/test_quantization.py",
    "tests/ui/test_gestures.py",
    "tests/ui/test_profiles.py",
    "tests/test_grouping.py",
    "tests/reports/test_source.py",
    "tests/ui/test_look.py",
    "tests/measure/test_same_values.py",
    "tests/reports/rules/test_check.py",
    "tests/measure/test_values.py",
    "tests/ui/test_compared_scenes.py",
    "tests/stages/test_interrupts.py",
    "tests/reports/rules/test_rules.py",
    "tests/test_parsed_prose.py",
    "tests/readers/test_pytrees.py",
    "tests/readers/test_pte.py",
    "tests/compare/test_modules.py",
    "tests/compare/test_operators.py",
    "tests/compare/test_passes.py",
    "tests/widget/test_stages.py",
    "tests/stages/test_howfar.py",
    "tests/snapshot/test_program_state.py",
    "tests/test_errors.py",
    "tests/stages/test_run.py",
    "tests/stages/test_decompositions.py",
    "tests/readers/test_pte_hostile.py",
    "tests/compare/test_diff.py",
    "tests/remedies/test_measuring.py",
    "tests/snapshot/test_memory.py",
    "tests/test_extras.py",
    "tests/stages/test_lower_command.py",
    "tests/ui/test_stages.py",
    "tests/test_private_names.py",
    "tests/pages/test_html.py",
    "tests/compare/test_decomposed_items.py",
    "tests/ui/test_palette.py",
    "tests/measure/test_seeded.py",
    "tests/stages/test_node_trace.py",
    "tests/test_torch_internals.py",
    "tests/compare/test_elsewhere.py",
    "tests/documentation/test_readme.py",
    "tests/test_cli.py",
    "tests/measure/test_figures.py",
    "tests/ui/test_frame.py",
    "tests/stages/test_explain.py",
    "tests/test_boundaries.py",
    "tests/compare/test_methods.py",
    "tests/widget/test_bisection.py",
    "tests/readers/test_hostile_programs.py",
    "tests/readers/test_inert_pickles.py",
    "tests/readers/test_capture.py",
    "tests/readers/test_edge_files.py",
    "tests/test_arguments.py",
    "tests/compare/test_memory.py",
    "tests/stages/test_reexport.py",
    "tests/test_replacing.py",
    "tests/measure/test_bytes_moved.py",
    "tests/widget/test_profiles.py",
    "tests/compare/test_scopes.py",
    "tests/notebooks/test_notebooks.py",
    "tests/measure/test_etdump.py",
    "tests/compare/test_folds.py",
    "tests/reports/test_python_values.py",
    "tests/widget/test_page.py",
    "tests/test_cli_analysis.py",
    "tests/readers/test_hostile_mutants.py",
    "tests/server/test_answers.py",
    "tests/readers/test_trust.py",
    "tests/compare/test_method_facts.py",
    "tests/snapshot/test_module_attribution.py",
    "tests/compare/test_delegates.py",
    "tests/test_cli_diff.py",
    "tests/readers/test_etrecord.py",
    "tests/ui/test_columns.py",
    "tests/compare/test_accuracy.py",
    "tests/ui/test_compared_text.py",
    "tests/ui/test_story.py",
    "tests/remedies/test_values.py",
    "tests/snapshot/test_validate.py",
    "tests/measure/test_failures.py",
    "tests/measure/test_outputs.py",
    "tests/readers/test_payloads.py",
    "tests/test_program_text.py",
    "tests/widget/test_values.py",
    "tests/reports/test_shapes.py",
    "tests/reports/test_size.py",
    "tests/compare/test_contents.py",
    "tests/measure/test_profile.py",
    "tests/measure/test_carried_costs.py",
    "tests/export_doctor/test_rewrite.py",
    "tests/compare/test_links.py",
    "tests/remedies/test_commands.py",
    "tests/compare/test_branches.py",
    "tests/pages/test_dot.py",
    "tests/pages/test_sharing.py",
    "tests/measure/test_verbs.py",
    "tests/remedies/test_arguments.py",
    "tests/ui/test_initial_height.py",
    "tests/ui/test_reports.py",
    "tests/snapshot/test_wire.py",
    "tests/measure/test_paths.py",
    "tests/ui/test_mounts.py",
    "tests/stages/test_compared_ways.py",
    "tests/measure/test_figure_words.py",
    "tests/readers/test_odd_programs.py",
    "tests/ui/test_page_pool.py",
    "tests/compare/test_random_programs.py",
    "tests/remedies/test_complete.py",
    "tests/remedies/test_files.py",
    "tests/compare/test_guesses.py",
    "tests/readers/test_source_files.py",
    "tests/readers/test_executorch_signature.py",
    "tests/documentation/test_site.py",
    "tests/ui/test_site.py",
    "tests/ui/test_lite.py",
    "tests/export_doctor/test_doctor.py",
    "wheels",
)
# Of those that drive a browser, the ones that a quick run has too.
QUICK_BROWSER = ("tests/ui/test_policy.py",)

_GROUP = {file: group for group, files in TOGETHER.items() for file in files}
_RANK = {group: rank for rank, group in enumerate(LONGEST)}


def group_of(file: str) -> str:
    """The group of a file, which is named from the root of the checkout."""
    return _GROUP.get(file, file)


def group_of_test(nodeid: str) -> str:
    """The group of a test, by the name that pytest gives it."""
    return group_of(nodeid.partition("::")[0])


def rank_of(group: str) -> int:
    """Its place among the groups: the lowest begins first."""
    return _RANK.get(group, len(_RANK))


def is_quick(file: str) -> bool:
    """Whether it takes seconds, and no browser."""
    return group_of(file) not in _RANK and (not file.startswith("tests/ui/") or file in QUICK_BROWSER)


def unknown(files: Iterable[str]) -> set[str]:
    """What is named here and is neither a file nor a group of files."""
    there = set(files)
    return ({*_GROUP, *QUICK_BROWSER} - there) | (set(LONGEST) - there - set(TOGETHER))
