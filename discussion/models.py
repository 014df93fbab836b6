"""Threads under pages, the comments in them, reports about comments, and what people want to be told."""

from __future__ import annotations

from typing import Any, ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from pages.models import OnPage


class Thread(OnPage):
    """A question or a remark about a page, and what people answered. Its text is its first comment.

    `spoiler`: it is about how a lab is solved, and only for those who have passed that lab.
    """

    title = models.CharField(max_length=120, blank=True, help_text="Empty once its author deleted it.")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="threads"
    )
    spoiler = models.BooleanField("about solutions", default=False, help_text="Only for those who passed the lab.")
    created = models.DateTimeField(auto_now_add=True)
    last_at = models.DateTimeField(auto_now_add=True, help_text="When something was last written in it.")

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [*OnPage.Meta.constraints]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["lesson", "-last_at"], name="threads_of_a_lesson"),
            models.Index(fields=["question", "-last_at"], name="threads_of_a_question"),
            models.Index(fields=["lab", "-last_at"], condition=~Q(lab=""), name="threads_of_a_lab"),
        ]

    def __str__(self) -> str:
        return self.title or "(deleted)"

    def get_absolute_url(self) -> str:
        return reverse("discussion:thread", args=[self.pk])


class Comment(models.Model):
    """What one person wrote. The first of a thread has no parent; every other answers one.

    `html` is made from `text` when it is written (`discussion.markup`). A deleted comment that others answered stays as
    a stub, without words and without author. `untold`: its parent's author has not been told of it yet.
    """

    thread = models.ForeignKey(Thread, on_delete=models.CASCADE, related_name="comments")
    parent = models.ForeignKey("self", null=True, blank=True, on_delete=models.RESTRICT, related_name="replies")
    author = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="comments"
    )
    text = models.TextField(blank=True)
    html = models.TextField(blank=True, editable=False)
    revision = models.PositiveIntegerField(default=1)
    spoiler = models.BooleanField("about solutions", default=False, help_text="Only for those who passed the lab.")
    created = models.DateTimeField(auto_now_add=True)
    edited_at = models.DateTimeField(null=True, blank=True)
    deleted_at = models.DateTimeField(null=True, blank=True)
    hidden_at = models.DateTimeField(null=True, blank=True)
    hidden_why = models.CharField(max_length=200, blank=True, help_text="Its author reads this.")
    untold = models.BooleanField(default=False, editable=False)

    class Meta:
        ordering = ["pk"]
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["thread"], condition=Q(parent=None), name="one_first_comment_a_thread"),
            models.CheckConstraint(
                condition=Q(deleted_at=None) | Q(text="", html="", author=None), name="a_deleted_comment_has_no_words"
            ),
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["created"], condition=Q(untold=True), name="comments_untold"),
            models.Index(fields=["-hidden_at"], condition=Q(hidden_at__isnull=False), name="comments_hidden"),
        ]

    def __str__(self) -> str:
        return f"comment {self.pk}"

    def get_absolute_url(self) -> str:
        return f"{reverse('discussion:thread', args=[self.thread_id])}#c{self.pk}"

    @property
    def is_first(self) -> bool:
        return self.parent_id is None


class Report(models.Model):
    """What someone finds wrong with a comment, until staff settle it."""

    class Why(models.TextChoices):
        SPAM = "spam", "Advertising, or nothing to do with the page"
        ABUSE = "abuse", "Insults or threatens"
        SPOILER = "spoiler", "Gives a lab's solution away"
        PRIVATE = "private", "Shows somebody's private data"
        OTHER = "other", "Something else"

    class State(models.TextChoices):
        OPEN = "open", "Open"
        UPHELD = "upheld", "Upheld: the comment was hidden"
        DISMISSED = "dismissed", "Dismissed"

    comment = models.ForeignKey(Comment, on_delete=models.CASCADE, related_name="reports")
    reporter = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="reports")
    why = models.CharField(max_length=10, choices=Why.choices)
    words = models.CharField(max_length=500, blank=True)
    at = models.DateTimeField(auto_now_add=True)
    state = models.CharField(max_length=10, choices=State.choices, default=State.OPEN)
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        constraints: ClassVar[list[models.BaseConstraint]] = [
            models.UniqueConstraint(fields=["comment", "reporter"], name="one_report_a_person")
        ]
        indexes: ClassVar[list[models.Index]] = [
            models.Index(fields=["at"], condition=Q(state="open"), name="reports_to_settle")
        ]

    def __str__(self) -> str:
        return f"report {self.pk}"


class Preference(models.Model):
    """What someone wants to be told of. Who has no row has the defaults."""

    class Replies(models.TextChoices):
        MAIL = "mail", "By mail"
        NONE = "none", "Not at all"

    user = models.OneToOneField(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="discussion_preference"
    )
    replies = models.CharField(
        "When someone replies to me", max_length=10, choices=Replies.choices, default=Replies.MAIL
    )

    def __str__(self) -> str:
        return f"preference {self.pk}"

    @classmethod
    def replies_to(cls, user: Any) -> str:
        """Return how a person is told of replies."""
        found = cls.objects.filter(user=user).values_list("replies", flat=True).first()
        return found or cls.Replies.MAIL.value

    @classmethod
    def choose(cls, user: Any, replies: str) -> None:
        """Set how a person is told of replies."""
        cls.objects.update_or_create(user=user, defaults={"replies": replies})


class Act(models.Model):
    """That someone wrote, edited or reported something, for the limits on rate. Kept for a day."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=10)
    at = models.DateTimeField()

    class Meta:
        indexes: ClassVar[list[models.Index]] = [models.Index(fields=["user", "kind", "at"], name="acts_of_late")]

    def __str__(self) -> str:
        return f"{self.kind} at {self.at}"
